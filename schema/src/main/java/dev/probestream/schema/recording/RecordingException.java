package dev.probestream.schema.recording;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A recording could not be written or read. The message has the attempt, the file, and the remedy. */
public class RecordingException extends IOException {
    private static final long serialVersionUID = 1L;

    RecordingException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
