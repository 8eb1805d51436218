package dev.probestream.cli.terminal;

import java.nio.file.Files;
import java.nio.file.Path;

/** Checks a file before the work whose result is written into it. */
public final class WritableFile {
    private WritableFile() {}

    /**
     * Fails if the file cannot be created or replaced.
     *
     * @param doing the beginning of the message, such as {@code cannot write a.csv}
     * @throws CommandException with the reason
     */
    public static void check(Path file, String doing) throws CommandException {
        Path parent = file.toAbsolutePath().getParent();
        if (Files.isDirectory(file)) {
            throw refusal(doing, "it is a folder; specify a file in it");
        }
        if (parent == null || !Files.isDirectory(parent)) {
            throw refusal(doing, "the folder " + parent + " does not exist; create it first");
        }
        if (!Files.isWritable(parent)) {
            throw refusal(doing, "no permission to write into the folder " + parent);
        }
    }

    private static CommandException refusal(String doing, String reason) {
        return new CommandException(ExitCode.FAILED, doing + ": " + reason);
    }
}
