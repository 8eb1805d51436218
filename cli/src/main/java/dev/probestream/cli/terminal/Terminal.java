package dev.probestream.cli.terminal;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;

/**
 * The error stream, for progress and messages: standard output is for results, and for the command that {@code record --
 * CMD} starts. The progress line is drawn on a terminal only and is erased before the next message.
 */
public final class Terminal {
    private static final String CARRIAGE_RETURN_AND_ERASE = "\r\u001b[K";

    private final PrintWriter err;
    private final boolean interactive;
    private boolean progressShown;

    /** Writes to {@code err}; progress only if {@code interactive}. */
    public Terminal(PrintWriter err, boolean interactive) {
        this.err = err;
        this.interactive = interactive;
    }

    /** Whether descriptor 2 of this process is a terminal; System.console() is never null from JDK 22 on. */
    public static boolean isStandardError() {
        return isTerminal("/proc/self/fd/2");
    }

    /** Whether descriptor 1 of this process is a terminal. */
    public static boolean isStandardOutput() {
        return isTerminal("/proc/self/fd/1");
    }

    private static boolean isTerminal(String descriptor) {
        try {
            String target = Files.readSymbolicLink(Path.of(descriptor)).toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
        } catch (IOException e) {
            return false;
        }
    }

    /** Replaces the progress line; does nothing without a terminal. */
    public void progress(String line) {
        progress(() -> line);
    }

    /** Replaces the progress line; does nothing without a terminal, so that no text is made either. */
    public synchronized void progress(Supplier<String> line) {
        if (interactive) {
            err.print(CARRIAGE_RETURN_AND_ERASE + line.get());
            err.flush();
            progressShown = true;
        }
    }

    /** Prints a message on a line of its own. */
    public synchronized void print(String line) {
        if (progressShown) {
            err.print(CARRIAGE_RETURN_AND_ERASE);
            progressShown = false;
        }
        err.println(line);
        err.flush();
    }
}
