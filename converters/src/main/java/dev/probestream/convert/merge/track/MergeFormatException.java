package dev.probestream.convert.merge.track;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A file that was to be merged is not a trace, or is damaged. The message has the file, the byte and the remedy. */
public final class MergeFormatException extends IOException {
    private static final long serialVersionUID = 1L;

    private final transient @Nullable Path file;
    private final long positionBytes;

    public MergeFormatException(Path file, long positionBytes, String reason, @Nullable Throwable cause) {
        super("cannot merge " + file + ": " + reason, cause);
        this.file = file;
        this.positionBytes = positionBytes;
    }

    /** A file that is a trace, but is broken at that byte. */
    public static MergeFormatException brokenAt(
            Path file, long positionBytes, String reason, @Nullable Throwable cause) {
        return new MergeFormatException(
                file,
                positionBytes,
                "it is broken at byte " + positionBytes + ": " + reason
                        + "; cut it off there to merge what stands before it",
                cause);
    }

    /** The file; null in a copy that was serialized. */
    public @Nullable Path file() {
        return file;
    }

    /** Where the trouble is, in bytes from the start; of a compressed file, from the start of what it holds. */
    public long positionBytes() {
        return positionBytes;
    }
}
