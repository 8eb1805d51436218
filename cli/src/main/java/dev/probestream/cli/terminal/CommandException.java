package dev.probestream.cli.terminal;

import org.jspecify.annotations.Nullable;

/**
 * A command cannot do what was asked. The message is for the user, complete as it stands: what was tried, on what, what
 * the system said, what to do.
 */
public final class CommandException extends Exception {
    private static final long serialVersionUID = 1L;

    private final ExitCode exitCode;

    /** A failure that ends the process with {@code exitCode}. */
    public CommandException(ExitCode exitCode, String message) {
        this(exitCode, message, null);
    }

    /** A failure with the exception behind it; only the message is shown. */
    public CommandException(ExitCode exitCode, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.exitCode = exitCode;
    }

    /** How the process ends. */
    public ExitCode exitCode() {
        return exitCode;
    }
}
