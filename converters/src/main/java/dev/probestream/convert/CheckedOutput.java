package dev.probestream.convert;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;

/** The file of a trace; turns errors of the file system into messages that name the file and the remedy. */
final class CheckedOutput extends FilterOutputStream {
    private final Path place;

    CheckedOutput(Path place, OutputStream file) {
        super(file);
        this.place = place;
    }

    @Override
    public void write(byte[] bytes, int offset, int lengthBytes) throws IOException {
        try {
            out.write(bytes, offset, lengthBytes);
        } catch (IOException e) {
            throw failed(place, e);
        }
    }

    static ConversionException failed(Path place, IOException e) {
        if (e instanceof ConversionException already) {
            return already;
        }
        String message = e.getMessage();
        String reason = message == null ? e.getClass().getSimpleName() : message;
        if (e instanceof FileSystemException system && system.getReason() != null) {
            reason = system.getReason();
        }
        String advice = "check the folder " + TraceFormat.folderOf(place);
        if (e instanceof AccessDeniedException) {
            reason = "permission denied";
        } else if (reason.contains("No space left")) {
            advice = "free some space or choose another folder; the recording is untouched and can be converted again";
        }
        return new ConversionException("cannot write " + place + ": " + reason + "; " + advice, e);
    }
}
