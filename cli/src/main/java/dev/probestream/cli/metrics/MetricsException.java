package dev.probestream.cli.metrics;

import java.io.IOException;

/** The metrics cannot be served. The message contains the address, the reason and what to do. */
public final class MetricsException extends IOException {
    private static final long serialVersionUID = 1;

    MetricsException(String message, Throwable cause) {
        super(message, cause);
    }
}
