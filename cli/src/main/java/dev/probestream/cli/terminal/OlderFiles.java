package dev.probestream.cli.terminal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * Files that stand where a recording is to be written. Each is kept under its name with {@code .old} at the end, as perf
 * does; an earlier {@code .old} is lost.
 */
public final class OlderFiles {
    private static final String ENDING = ".old";

    private OlderFiles() {}

    /** Makes room under the names that {@code output} will use. */
    public static void keep(OutputFile output) throws CommandException {
        keep(output.file());
        if (output.isConverted()) {
            keep(output.recording());
        }
    }

    private static void keep(Path file) throws CommandException {
        if (!Files.isRegularFile(file)) {
            return;
        }
        Path kept = Path.of(file + ENDING);
        try {
            Files.move(file, kept, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new CommandException(
                    ExitCode.FAILED, "cannot keep the older " + file + " as " + kept + ": " + e.getMessage(), e);
        }
    }
}
