package dev.probestream.cli.metrics;

import java.io.IOException;

/** The page of metrics cannot be served; the message says where, why, and what to do. */
public final class MetricsException extends IOException {
    private static final long serialVersionUID = 1;

    MetricsException(String message, Throwable cause) {
        super(message, cause);
    }
}
