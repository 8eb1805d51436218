package dev.probestream.cli.query.prompt;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;

/** The width of the output. */
public final class TerminalWidth {
    /** The width of a terminal that does not report it. */
    private static final int UNKNOWN = 80;

    private TerminalWidth() {}

    /** In characters; unlimited if standard output is not a terminal. */
    public static int ofStandardOutput() {
        if (!isTerminal("/proc/self/fd/1")) {
            return Integer.MAX_VALUE;
        }
        try (Terminal terminal =
                TerminalBuilder.builder().system(true).dumb(true).build()) {
            return of(terminal);
        } catch (IOException e) {
            return UNKNOWN;
        }
    }

    static int of(Terminal terminal) {
        return terminal.getWidth() > 0 ? terminal.getWidth() : UNKNOWN;
    }

    static boolean isTerminal(String descriptor) {
        try {
            String target = Files.readSymbolicLink(Path.of(descriptor)).toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
        } catch (IOException e) {
            return false;
        }
    }
}
