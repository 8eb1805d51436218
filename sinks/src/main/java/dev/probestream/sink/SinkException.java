package dev.probestream.sink;

import org.jspecify.annotations.Nullable;

/** A sink has failed. The message names what was tried, on what, what the system returned, and what to do. */
public final class SinkException extends Exception {
    private static final long serialVersionUID = 1L;

    SinkException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
