package dev.probestream.query;

import dev.probestream.convert.Conversion;
import dev.probestream.convert.ConversionException;
import dev.probestream.convert.ConversionOutcome;
import dev.probestream.convert.ConversionProgress;
import dev.probestream.convert.RecordingRange;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Finds the tables of each path; what is an .avro recording is converted to tables first. */
final class InputReader {
    /** How an Avro object container file begins (Avro 1.12 specification, "Object Container Files"). */
    private static final byte[] AVRO_MAGIC = {'O', 'b', 'j', 1};

    private final Path temporaryFolder;
    private final ConversionProgress progress;
    private final List<Input> inputs = new ArrayList<>();
    private final List<String> remarks = new ArrayList<>();

    /** @param temporaryFolder where tables of recordings go; the caller's to delete */
    InputReader(Path temporaryFolder, ConversionProgress progress) {
        this.temporaryFolder = temporaryFolder;
        this.progress = progress;
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
            throw refusal(path, whatItIs(String.valueOf(path.getFileName())));
        }
        Path folder = Files.createDirectories(temporaryFolder.resolve("tables-" + ordinal));
        try {
            ConversionOutcome outcome = Conversion.run(List.of(path), folder, RecordingRange.ALL, progress);
            remarks.addAll(outcome.remarks());
        } catch (ConversionException e) {
            throw new QueryException(String.valueOf(e.getMessage()), e); // says which file
        }
        return TableFolder.read(folder);
    }

    private static boolean isAvro(Path path) throws IOException {
        try (InputStream in = Files.newInputStream(path)) {
            return Arrays.equals(in.readNBytes(AVRO_MAGIC.length), AVRO_MAGIC);
        }
    }

    private static String whatItIs(String name) {
        if (name.endsWith(".parquet")) {
            return "it is a file of one table; name the folder that holds the tables";
        }
        if (name.endsWith(".pftrace") || name.endsWith(".json") || name.endsWith(".json.gz")) {
            return "it is a trace for a viewer; ask the .avro recording, or the tables made by 'convert -o DIR/'";
        }
        return "it is neither an .avro recording nor a folder of Parquet tables";
    }

    private static QueryException refusal(Path path, String reason) {
        return new QueryException("cannot read " + path + ": " + reason);
    }

    List<Input> inputs() {
        return inputs;
    }

    /** What a person should know of the recordings that were converted. */
    List<String> remarks() {
        return remarks;
    }
}
