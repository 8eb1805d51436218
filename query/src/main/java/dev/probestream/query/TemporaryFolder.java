package dev.probestream.query;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * A folder that lasts as long as this object, and no longer than the process unless that is killed by SIGKILL: for tables
 * made of recordings, and for what does not fit into memory.
 */
final class TemporaryFolder implements AutoCloseable {
    private final Path folder;
    private final Thread atExit;

    private TemporaryFolder(Path folder) {
        this.folder = folder;
        this.atExit = new Thread(this::deleteQuietly, "delete " + folder);
    }

    /** Below {@code java.io.tmpdir}, readable by its owner only. */
    static TemporaryFolder create() throws IOException {
        TemporaryFolder created = new TemporaryFolder(Files.createTempDirectory("probestream-query-"));
        Runtime.getRuntime().addShutdownHook(created.atExit);
        return created;
    }

    Path path() {
        return folder;
    }

    @Override
    public void close() throws IOException {
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException e) {
            return; // the JVM ends: the hook does it
        }
        delete();
    }

    private void delete() throws IOException {
        List<Path> deepestFirst;
        try (Stream<Path> all = Files.walk(folder)) {
            deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : deepestFirst) {
            Files.deleteIfExists(path);
        }
    }

    /** Others may still write into it while the JVM ends: a second look takes what came in between. */
    private void deleteQuietly() {
        for (int attempt = 0; attempt < 2; attempt++) {
            try {
                delete();
                return;
            } catch (IOException | UncheckedIOException e) {
                // Nobody is left who could be told; the system empties its temporary folder.
            }
        }
    }
}
