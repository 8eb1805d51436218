package dev.probestream.cli.nodetrace;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Node's own trace failed. The message contains what was tried, on which process, the response, and what to do. */
public final class NodeTraceException extends IOException {
    private static final long serialVersionUID = 1L;

    NodeTraceException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
