package dev.probestream.cli.terminal;

import org.jspecify.annotations.Nullable;

/**
 * A command failed. The message is complete and addressed to the user: what was tried, on what, what the system reported,
 * what to do.
 */
public final class CommandException extends Exception {
    private static final long serialVersionUID = 1L;

    private final ExitCode exitCode;

    /** A failure that ends the process with {@code exitCode}. */
    public CommandException(ExitCode exitCode, String message) {
        this(exitCode, message, null);
    }

    /** A failure with its cause; only the message is shown. */
    public CommandException(ExitCode exitCode, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.exitCode = exitCode;
    }

    /** The exit code of the process. */
    public ExitCode exitCode() {
        return exitCode;
    }
}
