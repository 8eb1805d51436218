package dev.probestream.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

/**
 * Files that stood where a recording is to be written. Each is kept under its name with {@code .old} at the end, as perf
 * does; an earlier {@code .old} is lost.
 */
final class OlderFiles {
    private static final String ENDING = ".old";

    private final List<Path> moved = new ArrayList<>();

    /** Makes room under the names that {@code output} will use. */
    void keep(OutputFile output) throws CommandException {
        keep(output.file());
        if (output.isTrace()) {
            keep(output.recording());
        }
    }

    /** Puts the files back, over what was begun in their place; for when nothing was recorded. */
    void putBack(OutputFile output) throws CommandException {
        try {
            Files.deleteIfExists(output.recording());
            for (Path file : moved) {
                Files.move(kept(file), file, StandardCopyOption.REPLACE_EXISTING);
            }
        } catch (IOException e) {
            throw new CommandException(
                    ExitCode.FAILED, "cannot put the older " + output.file() + " back: " + e.getMessage(), e);
        }
    }

    private void keep(Path file) throws CommandException {
        if (!Files.isRegularFile(file)) {
            return;
        }
        try {
            Files.move(file, kept(file), StandardCopyOption.REPLACE_EXISTING);
            moved.add(file);
        } catch (IOException e) {
            throw new CommandException(
                    ExitCode.FAILED, "cannot keep the older " + file + " as " + kept(file) + ": " + e.getMessage(), e);
        }
    }

    private static Path kept(Path file) {
        return Path.of(file + ENDING);
    }
}
