package dev.probestream.query;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A folder of Parquet tables, as {@code convert} and the sinks write them: {@code TABLE/NAME.parquet} and {@code
 * TABLE/day=.../hour=.../NAME.parquet}. Files that come later are not seen.
 *
 * @param files of each table in a stable order; a table without files is not in it
 */
record TableFolder(Path path, Map<RecordedTable, List<Path>> files) {
    private static final String ENDING = ".parquet";

    TableFolder {
        files = Map.copyOf(files);
    }

    /** Looks for the tables in {@code folder}; there may be none. */
    static TableFolder read(Path folder) throws IOException {
        Map<RecordedTable, List<Path>> files = new EnumMap<>(RecordedTable.class);
        for (RecordedTable table : RecordedTable.values()) {
            Path ofTable = folder.resolve(table.sqlName());
            if (Files.isDirectory(ofTable)) {
                List<Path> found = parquetFiles(ofTable);
                if (!found.isEmpty()) {
                    files.put(table, found);
                }
            }
        }
        return new TableFolder(folder, files);
    }

    /** Why {@code folder}, which has no tables, is not what was meant, and what to name instead. */
    static String refusal(Path folder) throws IOException {
        Path parent = folder.toAbsolutePath().normalize().getParent();
        if (parent != null && isTableName(folder) && !read(parent).files.isEmpty()) {
            return "it is one table of a folder of tables; name that folder: " + parent;
        }
        try (Stream<Path> children = Files.list(folder)) {
            List<Path> sorted = new ArrayList<>(children.sorted().toList());
            List<Path> recordings = sorted.stream()
                    .filter(child -> child.toString().endsWith(".avro"))
                    .toList();
            if (!recordings.isEmpty()) {
                return "it holds no tables but " + recordings.size() + " recordings; name those: "
                        + folder.resolve("*.avro");
            }
            for (Path child : sorted) {
                if (Files.isDirectory(child) && !read(child).files.isEmpty()) {
                    return "the tables are in a folder within it; name that: " + child;
                }
            }
        }
        return "there are no tables in it, such as events/*.parquet; name the folder that 'convert -o DIR/' or 'sink"
                + " parquet -o DIR' wrote, or an .avro recording";
    }

    private static boolean isTableName(Path folder) {
        String name = String.valueOf(folder.toAbsolutePath().normalize().getFileName());
        return Stream.of(RecordedTable.values())
                .anyMatch(table -> table.sqlName().equals(name));
    }

    private static List<Path> parquetFiles(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(TableFolder::isTableFile)
                    .sorted(Comparator.comparing(Path::toString))
                    .toList();
        } catch (UncheckedIOException e) {
            throw e.getCause() == null ? new IOException(e) : e.getCause();
        }
    }

    /** Hidden ones are on their way to their place. */
    private static boolean isTableFile(Path file) {
        String name = String.valueOf(file.getFileName());
        return name.endsWith(ENDING) && !name.startsWith(".") && Files.isRegularFile(file);
    }
}
