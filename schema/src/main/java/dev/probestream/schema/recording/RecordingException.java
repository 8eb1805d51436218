package dev.probestream.schema.recording;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A recording could not be written or read. The message says what was tried, on which file, and what to do. */
public class RecordingException extends IOException {
    private static final long serialVersionUID = 1L;

    RecordingException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
