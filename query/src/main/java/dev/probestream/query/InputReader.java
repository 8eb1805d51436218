package dev.probestream.query;

import dev.probestream.convert.Conversion;
import dev.probestream.convert.ConversionException;
import dev.probestream.convert.ConversionOutcome;
import dev.probestream.convert.ConversionProgress;
import dev.probestream.convert.RecordingRange;
import dev.probestream.schema.file.PrivateFiles;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Finds the tables of each path; converts .avro recordings to tables first. */
final class InputReader {
    /** The first bytes of an Avro object container file (Avro 1.12 specification, "Object Container Files"). */
    private static final byte[] AVRO_MAGIC = {'O', 'b', 'j', 1};

    /**
     * One of the paths that were opened.
     *
     * @param ordinal from 1, in the order given
     * @param path as given
     * @param tables the folder of its tables: the path itself, or a temporary folder
     */
    record Input(int ordinal, Path path, TableFolder tables) {}

    private final Path temporaryFolder;
    private final ConversionProgress progress;
    private final boolean isAlone;
    private final List<Input> inputs = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();

    /**
     * @param temporaryFolder the folder for tables of recordings; the caller deletes it
     * @param isAlone whether there is only one path to read
     */
    InputReader(Path temporaryFolder, ConversionProgress progress, boolean isAlone) {
        this.temporaryFolder = temporaryFolder;
        this.progress = progress;
        this.isAlone = isAlone;
    }

    void read(Path path) throws QueryException {
        try {
            if (!Files.exists(path)) {
                throw refusal(path, "there is no such file or folder");
            }
            int ordinal = inputs.size() + 1;
            TableFolder tables = Files.isDirectory(path) ? folder(path) : recording(path, ordinal);
            inputs.add(new Input(ordinal, path, tables));
        } catch (AccessDeniedException e) {
            throw new QueryException(
                    "cannot read " + e.getFile() + ": permission denied (run Probestream as its owner or as root)", e);
        } catch (IOException | UncheckedIOException e) {
            throw new QueryException("cannot read " + path + ": " + e.getMessage(), e);
        }
    }

    private static TableFolder folder(Path path) throws IOException, QueryException {
        TableFolder tables = TableFolder.read(path);
        if (tables.files().isEmpty()) {
            throw refusal(path, TableFolder.refusal(path));
        }
        return tables;
    }

    private TableFolder recording(Path path, int ordinal) throws IOException, QueryException {
        if (!isAvro(path)) {
            throw refusal(path, unsupportedReason(String.valueOf(path.getFileName())));
        }
        Path folder = PrivateFiles.createFolders(temporaryFolder.resolve("tables-" + ordinal));
        try {
            ConversionOutcome outcome = Conversion.run(List.of(path), folder, RecordingRange.ALL, progress);
            warnings.addAll(outcome.warnings());
        } catch (ConversionException e) {
            String others =
                    isAlone ? "" : "; answers without it would be incomplete: to query the others, leave it out";
            throw new QueryException(e.getMessage() + others, e); // the message names the file
        }
        return TableFolder.read(folder);
    }

    private static boolean isAvro(Path path) throws IOException {
        try (InputStream in = Files.newInputStream(path)) {
            return Arrays.equals(in.readNBytes(AVRO_MAGIC.length), AVRO_MAGIC);
        }
    }

    private static String unsupportedReason(String name) {
        if (name.endsWith(".parquet")) {
            return "it is a file of one table; pass the folder that contains the tables";
        }
        if (name.endsWith(".pftrace") || name.endsWith(".json") || name.endsWith(".json.gz")) {
            return "it is a trace for a viewer; pass the .avro recording, or the tables written by 'convert -o DIR/'";
        }
        return "it is neither an .avro recording nor a folder of Parquet tables";
    }

    private static QueryException refusal(Path path, String reason) {
        return new QueryException("cannot read " + path + ": " + reason);
    }

    List<Input> inputs() {
        return inputs;
    }

    /** What was lost, damaged or cut off in the converted recordings. */
    List<String> warnings() {
        return warnings;
    }
}
