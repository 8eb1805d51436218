package dev.probestream.cli.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** A folder that is gone, with all that is in it, when it is closed. */
record DemoTemporaryFolder(Path path) implements AutoCloseable {
    /** Makes it empty: what an earlier run left there, when it was killed, is removed. */
    static DemoTemporaryFolder empty(Path path) throws IOException {
        delete(path);
        return new DemoTemporaryFolder(Files.createDirectories(path));
    }

    @Override
    public void close() throws IOException {
        delete(path);
    }

    /** Does nothing if it is not there. */
    static void delete(Path folder) throws IOException {
        try (Stream<Path> tree = Files.walk(folder)) {
            for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (NoSuchFileException e) {
            // There is nothing to delete.
        }
    }
}
