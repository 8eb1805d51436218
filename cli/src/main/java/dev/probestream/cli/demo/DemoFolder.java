package dev.probestream.cli.demo;

import dev.probestream.convert.parquet.ParquetTables;
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
 * Where a demo leaves its files.
 *
 * <pre>
 *   FOLDER/trace.pftrace, trace.json   one file each
 *   FOLDER/parquet/TABLE/...           tables
 *   FOLDER/.making/                    while the demo runs: the broker's topics, and what the sinks make; on the same file
 *                                      system, so that a finished file gets its plain name by a rename
 * </pre>
 */
final class DemoFolder implements AutoCloseable {
    /** What a demo needs while it runs, many times over: the broker preallocates, and each sink keeps a copy. */
    private static final long NEEDED_BYTES = 256L << 20;

    private static final String TABLE_ENDING = ".parquet";

    private final Path folder;
    private final DemoTemporaryFolder making;

    private DemoFolder(Path folder, DemoTemporaryFolder making) {
        this.folder = folder;
        this.making = making;
    }

    /**
     * Makes the folder if it is missing, and in it room for what is in the making.
     *
     * @throws IOException when it cannot be made or written, is full, or holds in the place of the tables what a demo did
     *     not make; the message says what to do
     */
    public static DemoFolder open(Path folder) throws IOException {
        try {
            Files.createDirectories(folder);
            refuseForeignTables(place(folder, SinkFormat.PARQUET));
            DemoFolder opened = new DemoFolder(folder, DemoTemporaryFolder.empty(folder.resolve(".making")));
            opened.requireRoom();
            return opened;
        } catch (FileSystemException e) {
            throw new IOException(
                    "cannot write to the folder " + folder + " ("
                            + Optional.ofNullable(e.getReason())
                                    .orElse(e.getClass().getSimpleName().replaceAll("Exception$", ""))
                            + "); name another one with -o",
                    e);
        }
    }

    /** For the broker, while the demo runs. */
    public Path brokerData() {
        return making.path().resolve("broker");
    }

    /** For the sink of that format, while the demo runs. */
    public Path sinkFolder(SinkFormat format) {
        return making.path().resolve(name(format));
    }

    /** Where the finished file, or the folder of tables, is in the end. */
    public Path place(SinkFormat format) {
        return place(folder, format);
    }

    /** Gives what the sink of that format made its plain name; an earlier demo's is replaced. */
    public void place(SinkFormat format, List<Path> files) throws IOException {
        Path place = place(format);
        switch (format) {
            case PERFETTO, CHROME -> {
                if (files.size() != 1) {
                    throw new IOException("cannot make " + place + ": the sink made " + files.size()
                            + " files of what should be one slice: " + files);
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

    /** Rows of a table of {@code FOLDER/parquet}: the sum over its files of what their footers say. */
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

    /** The folder of the tables is removed as a whole at the end: only if it is nobody else's. */
    private static void refuseForeignTables(Path tables) throws IOException {
        if (!Files.exists(tables)) {
            return;
        }
        try (Stream<Path> tree = Files.walk(tables)) {
            Optional<Path> foreign = tree.filter(path -> !Files.isDirectory(path))
                    .filter(path -> !path.toString().endsWith(TABLE_ENDING))
                    .findFirst();
            if (foreign.isPresent()) {
                throw new IOException("cannot write tables to " + tables + ": it holds " + foreign.get()
                        + ", which no demo made; name another folder with -o");
            }
        }
    }

    private void requireRoom() throws IOException {
        long freeBytes = Files.getFileStore(making.path()).getUsableSpace();
        if (freeBytes < NEEDED_BYTES) {
            close();
            throw new IOException("cannot record into " + folder + ": its disk has " + (freeBytes >> 20)
                    + " MiB left, and the broker and the sinks may need " + (NEEDED_BYTES >> 20)
                    + " MiB while they work; make room, or name another folder with -o");
        }
    }
}
