package dev.probestream.cli.demo;

import dev.probestream.convert.parquet.ParquetTables;
import dev.probestream.schema.file.PrivateFiles;
import dev.probestream.sink.finish.SinkFormat;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The output folder of a demo.
 *
 * <pre>
 *   FOLDER/trace.pftrace, trace.json   one file each
 *   FOLDER/parquet/TABLE/...           tables
 *   FOLDER/.making/                    while the demo runs: the broker's topics, and unfinished files of the sinks; on the
 *                                      same file system, so that a finished file is moved by a rename
 * </pre>
 */
final class DemoFolder implements AutoCloseable {
    /** The disk space that a demo needs, with a large margin: the broker preallocates, and each sink keeps a copy. */
    private static final long NEEDED_BYTES = 256L << 20;

    private static final String TABLE_ENDING = ".parquet";

    private final Path folder;
    private final DemoTemporaryFolder making;

    private DemoFolder(Path folder, DemoTemporaryFolder making) {
        this.folder = folder;
        this.making = making;
    }

    /**
     * Creates the folder if it does not exist, and the folder for unfinished files in it.
     *
     * @throws IOException if it cannot be created or written, is full, or the folder of the tables contains other files; the
     *     message contains the remedy
     */
    public static DemoFolder open(Path folder) throws IOException {
        try {
            PrivateFiles.createFolders(folder);
            refuseForeignTables(place(folder, SinkFormat.PARQUET));
            DemoFolder opened = new DemoFolder(folder, DemoTemporaryFolder.empty(folder.resolve(".making")));
            opened.requireRoom();
            return opened;
        } catch (FileSystemException e) {
            throw new IOException(
                    "cannot write to the folder " + folder + " ("
                            + Optional.ofNullable(e.getReason())
                                    .orElse(e.getClass().getSimpleName().replaceAll("Exception$", ""))
                            + "); use another folder with -o",
                    e);
        }
    }

    /** The folder of the broker, while the demo runs. */
    public Path brokerData() {
        return making.path().resolve("broker");
    }

    /** The folder of the sink of that format, while the demo runs. */
    public Path sinkFolder(SinkFormat format) {
        return making.path().resolve(name(format));
    }

    /** The path of the finished file, or of the folder of tables. */
    public Path place(SinkFormat format) {
        return place(folder, format);
    }

    /** Moves the output of the sink of that format to its final path; output of an earlier demo is replaced. */
    public void place(SinkFormat format, List<Path> files) throws IOException {
        Path place = place(format);
        switch (format) {
            case PERFETTO, CHROME -> {
                if (files.size() != 1) {
                    throw new IOException("cannot write " + place + ": the sink wrote " + files.size()
                            + " files instead of one segment: " + files);
                }
                Files.move(files.get(0), place, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
            }
            case PARQUET -> {
                DemoTemporaryFolder.delete(sinkFolder(format).resolve(".probestream"));
                DemoTemporaryFolder.delete(place);
                Files.move(sinkFolder(format), place);
            }
        }
    }

    /** Rows of a table of {@code FOLDER/parquet}: the sum of the row counts in the footers of its files. */
    public long rows(String table) throws IOException {
        long rows = 0;
        try (Stream<Path> tree = Files.walk(place(SinkFormat.PARQUET).resolve(table))) {
            for (Path file :
                    tree.filter(path -> path.toString().endsWith(TABLE_ENDING)).toList()) {
                rows += ParquetTables.rowCount(file);
            }
        }
        return rows;
    }

    @Override
    public void close() throws IOException {
        making.close();
    }

    private static Path place(Path folder, SinkFormat format) {
        return folder.resolve(name(format));
    }

    private static String name(SinkFormat format) {
        return switch (format) {
            case PERFETTO -> "trace.pftrace";
            case CHROME -> "trace.json";
            case PARQUET -> "parquet";
        };
    }

    /** The folder of the tables will be replaced as a whole, so it must not contain other files. */
    private static void refuseForeignTables(Path tables) throws IOException {
        if (!Files.exists(tables)) {
            return;
        }
        try (Stream<Path> tree = Files.walk(tables)) {
            Optional<Path> foreign = tree.filter(path -> !Files.isDirectory(path))
                    .filter(path -> !path.toString().endsWith(TABLE_ENDING))
                    .findFirst();
            if (foreign.isPresent()) {
                throw new IOException("cannot write tables to " + tables + ": it contains " + foreign.get()
                        + ", which is not from a demo; use another folder with -o");
            }
        }
    }

    private void requireRoom() throws IOException {
        long freeBytes = Files.getFileStore(making.path()).getUsableSpace();
        if (freeBytes < NEEDED_BYTES) {
            close();
            throw new IOException("cannot record into " + folder + ": its disk has " + (freeBytes >> 20)
                    + " MiB left, and the broker and the sinks may need " + (NEEDED_BYTES >> 20)
                    + " MiB; free disk space, or use another folder with -o");
        }
    }
}
