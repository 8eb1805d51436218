package dev.probestream.cli.nodetrace;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Node's own trace cannot be had. The message says what was tried, on which process, what it said, and what to do. */
public final class NodeTraceException extends IOException {
    private static final long serialVersionUID = 1L;

    NodeTraceException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
