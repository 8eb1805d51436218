package dev.probestream.cli.query;

import dev.probestream.cli.terminal.CommandException;
import dev.probestream.cli.terminal.ExitCode;
import java.nio.file.Files;
import java.nio.file.Path;

/** Checks the file to which a result is written. */
final class AnswerFile {
    private AnswerFile() {}

    /** Fails before the query starts, so that a long query does not fail at its end. */
    static void check(Path file) throws CommandException {
        Path parent = file.toAbsolutePath().getParent();
        if (Files.isDirectory(file)) {
            throw refusal(file, "it is a folder; specify a file in it");
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
