package dev.probestream.query;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.FileVisitOption;
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
 * TABLE/day=.../hour=.../NAME.parquet}. Symbolic links are followed. Files that are added later are not read.
 *
 * @param files of each table, in a stable order; without tables that have no files
 */
record TableFolder(Path path, Map<RecordedTable, List<Path>> files) {
    private static final String ENDING = ".parquet";

    TableFolder {
        files = Map.copyOf(files);
    }

    /** Finds the tables in {@code folder}; there may be none. */
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

    /** Why {@code folder}, which has no tables, cannot be read, and which path to pass instead. */
    static String refusal(Path folder) throws IOException {
        Path parent = folder.toAbsolutePath().normalize().getParent();
        if (parent != null && isTableName(folder) && !read(parent).files.isEmpty()) {
            return "it is one table of a folder of tables; pass that folder: " + parent;
        }
        try (Stream<Path> children = Files.list(folder)) {
            List<Path> sorted = new ArrayList<>(children.sorted().toList());
            List<Path> recordings = sorted.stream()
                    .filter(child -> child.toString().endsWith(".avro"))
                    .toList();
            if (!recordings.isEmpty()) {
                return "it contains no tables but " + recordings.size() + " recordings; pass those: "
                        + folder.resolve("*.avro");
            }
            for (Path child : sorted) {
                if (Files.isDirectory(child) && !read(child).files.isEmpty()) {
                    return "the tables are in a subfolder; pass that: " + child;
                }
            }
        }
        return "it contains no tables, such as events/*.parquet; pass the folder that 'convert -o DIR/' or 'sink"
                + " parquet -o DIR' wrote, or an .avro recording";
    }

    private static boolean isTableName(Path folder) {
        String name = String.valueOf(folder.toAbsolutePath().normalize().getFileName());
        return Stream.of(RecordedTable.values())
                .anyMatch(table -> table.sqlName().equals(name));
    }

    private static List<Path> parquetFiles(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder, FileVisitOption.FOLLOW_LINKS)) {
            return all.filter(TableFolder::isTableFile)
                    .sorted(Comparator.comparing(Path::toString))
                    .toList();
        } catch (UncheckedIOException e) {
            if (e.getCause() instanceof FileSystemLoopException loop) {
                throw new IOException("a symbolic link leads back to a folder above it: " + loop.getFile(), loop);
            }
            throw e.getCause() == null ? new IOException(e) : e.getCause();
        }
    }

    /** Hidden files are not complete yet. */
    private static boolean isTableFile(Path file) {
        String name = String.valueOf(file.getFileName());
        return name.endsWith(ENDING) && !name.startsWith(".") && Files.isRegularFile(file);
    }
}
