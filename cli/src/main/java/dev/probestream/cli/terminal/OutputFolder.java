package dev.probestream.cli.terminal;

import dev.probestream.convert.ConversionException;
import dev.probestream.convert.TraceFormat;
import dev.probestream.schema.file.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A folder for tables, as given with -o: the name ends in /, or the folder exists. */
public final class OutputFolder {
    private OutputFolder() {}

    /** Whether {@code output} names a folder. */
    public static boolean isFolder(String output) {
        if (output.endsWith("/")) {
            return true;
        }
        try {
            return TraceFormat.of(Path.of(output)) == TraceFormat.PARQUET && !output.endsWith(".avro");
        } catch (ConversionException e) {
            return false; // an unknown extension, and no folder of this name
        }
    }

    /**
     * Fails if the name has the extension of a file, or if the folder cannot be written or created; its parent must
     * exist.
     */
    public static void check(Path folder, String whatCannot) throws CommandException {
        if (List.of(".avro", ".pftrace", ".json", ".json.gz").stream().anyMatch(folder.toString()::endsWith)) {
            throw refusal(whatCannot, "this is the name of a file; remove the trailing /, or use another name");
        }
        if (Files.isDirectory(folder)) {
            if (!Files.isWritable(folder)) {
                throw refusal(whatCannot, "no permission to write into the folder " + folder);
            }
            return;
        }
        if (Files.exists(folder)) {
            throw refusal(whatCannot, "it is a file, not a folder; use another name, or remove the trailing /");
        }
        Path parent = folder.toAbsolutePath().getParent();
        if (parent == null || !Files.isDirectory(parent)) {
            throw refusal(whatCannot, "the folder " + parent + " does not exist; create it first");
        }
        if (!Files.isWritable(parent)) {
            throw refusal(whatCannot, "no permission to write into the folder " + parent);
        }
    }

    /** Creates the folder if it does not exist. */
    public static void create(Path folder) throws CommandException {
        try {
            PrivateFiles.createFolders(folder);
        } catch (IOException e) {
            throw new CommandException(
                    ExitCode.FAILED,
                    "cannot create the folder " + folder + " (" + e.getMessage() + "); use another folder with -o",
                    e);
        }
    }

    private static CommandException refusal(String whatCannot, String reason) {
        return new CommandException(ExitCode.FAILED, whatCannot + ": " + reason);
    }
}
