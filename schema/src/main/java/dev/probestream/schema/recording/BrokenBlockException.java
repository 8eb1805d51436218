package dev.probestream.schema.recording;

import org.jspecify.annotations.Nullable;

/** A block of a recording cannot be read; becomes a {@link ReadOutcome.Damage}, and the reading goes on behind it. */
final class BrokenBlockException extends Exception {
    private static final long serialVersionUID = 1L;

    private final String reason;

    BrokenBlockException(String reason, @Nullable Throwable cause) {
        super(reason, cause);
        this.reason = reason;
    }

    String reason() {
        return reason;
    }
}
