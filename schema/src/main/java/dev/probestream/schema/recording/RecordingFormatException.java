package dev.probestream.schema.recording;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A file is not a recording, or is one that this version cannot read. Nothing of it was delivered. */
public final class RecordingFormatException extends RecordingException {
    private static final long serialVersionUID = 1L;

    private final long positionInFile;

    RecordingFormatException(Path file, long positionInFile, String reason, @Nullable Throwable cause) {
        super("cannot read " + file + " (byte " + positionInFile + "): " + reason, cause);
        this.positionInFile = positionInFile;
    }

    /** {@return byte in the file at which it stopped being a recording} */
    public long positionInFile() {
        return positionInFile;
    }
}
