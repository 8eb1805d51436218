package dev.probestream.sink;

import org.jspecify.annotations.Nullable;

/** A sink cannot go on. The message says what was tried, on what, what the system said, and what to do. */
public final class SinkException extends Exception {
    private static final long serialVersionUID = 1L;

    SinkException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
