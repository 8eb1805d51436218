package dev.probestream.cli.terminal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * Existing files at the path of a new recording. Each is renamed to end in {@code .old}, as perf does; an earlier
 * {@code .old} is overwritten.
 */
public final class OlderFiles {
    private static final String ENDING = ".old";

    private OlderFiles() {}

    /** Renames the existing files at the paths that {@code output} will use. */
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
                    ExitCode.FAILED, "cannot rename the existing " + file + " to " + kept + ": " + e.getMessage(), e);
        }
    }
}
