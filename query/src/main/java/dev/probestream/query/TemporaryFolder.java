package dev.probestream.query;

import dev.probestream.schema.file.PrivateFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * A temporary folder that {@link #close} deletes, or the end of the process if it is not killed by SIGKILL: for tables of
 * converted recordings, and for data that exceeds the memory limit.
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
        TemporaryFolder created = new TemporaryFolder(PrivateFiles.createTemporaryFolder("probestream-query-"));
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
            return; // the JVM is shutting down: the hook deletes it
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

    /** Tries twice, because other threads may still write into it while the JVM shuts down. */
    private void deleteQuietly() {
        for (int attempt = 0; attempt < 2; attempt++) {
            try {
                delete();
                return;
            } catch (IOException | UncheckedIOException e) {
                // Nothing can be reported during shutdown; the operating system cleans its temporary folder.
            }
        }
    }
}
