package dev.probestream.cli.terminal;

import dev.probestream.convert.ConversionException;
import dev.probestream.convert.TraceFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A folder for tables, as -o names one: with / at its end, or one that is there. */
public final class OutputFolder {
    private OutputFolder() {}

    /** Whether the user means a folder. */
    public static boolean isFolder(String output) {
        if (output.endsWith("/")) {
            return true;
        }
        try {
            return TraceFormat.of(Path.of(output)) == TraceFormat.PARQUET && !output.endsWith(".avro");
        } catch (ConversionException e) {
            return false; // a name that says nothing, and no folder has it
        }
    }

    /**
     * Fails when its name is that of a file, or when the folder cannot be written to, or cannot be made: its parent must be
     * there.
     */
    public static void check(Path folder, String whatCannot) throws CommandException {
        if (List.of(".avro", ".pftrace", ".json", ".json.gz").stream().anyMatch(folder.toString()::endsWith)) {
            throw refusal(whatCannot, "that is the name of a file; leave out the / at its end, or name it otherwise");
        }
        if (Files.isDirectory(folder)) {
            if (!Files.isWritable(folder)) {
                throw refusal(whatCannot, "no permission to write into the folder " + folder);
            }
            return;
        }
        if (Files.exists(folder)) {
            throw refusal(whatCannot, "it is a file, not a folder; name another one, or leave out the / at the end");
        }
        Path parent = folder.toAbsolutePath().getParent();
        if (parent == null || !Files.isDirectory(parent)) {
            throw refusal(whatCannot, "the folder " + parent + " does not exist; create it first");
        }
        if (!Files.isWritable(parent)) {
            throw refusal(whatCannot, "no permission to write into the folder " + parent);
        }
    }

    /** Makes it if it is not there. */
    public static void create(Path folder) throws CommandException {
        try {
            Files.createDirectories(folder);
        } catch (IOException e) {
            throw new CommandException(
                    ExitCode.FAILED,
                    "cannot create the folder " + folder + " (" + e.getMessage() + "); name another one with -o",
                    e);
        }
    }

    private static CommandException refusal(String whatCannot, String reason) {
        return new CommandException(ExitCode.FAILED, whatCannot + ": " + reason);
    }
}
