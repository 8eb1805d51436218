package dev.probestream.cli.query;

import dev.probestream.cli.terminal.CommandException;
import dev.probestream.cli.terminal.ExitCode;
import java.nio.file.Files;
import java.nio.file.Path;

/** The file that an answer is to be written to. */
final class AnswerFile {
    private AnswerFile() {}

    /** Fails early what would fail at the end of a long question. */
    static void check(Path file) throws CommandException {
        Path parent = file.toAbsolutePath().getParent();
        if (Files.isDirectory(file)) {
            throw refusal(file, "it is a folder; name a file in it");
        }
        if (parent == null || !Files.isDirectory(parent)) {
            throw refusal(file, "the folder " + parent + " does not exist; create it first");
        }
        if (!Files.isWritable(parent)) {
            throw refusal(file, "no permission to write into the folder " + parent);
        }
    }

    private static CommandException refusal(Path file, String reason) {
        return new CommandException(ExitCode.FAILED, "cannot write " + file + ": " + reason);
    }
}
