package dev.probestream.cli.demo;

import dev.probestream.schema.file.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** A folder that is deleted with its contents when it is closed. */
record DemoTemporaryFolder(Path path) implements AutoCloseable {
    /** Creates the folder empty; files of an earlier run that was killed are removed. */
    static DemoTemporaryFolder empty(Path path) throws IOException {
        delete(path);
        return new DemoTemporaryFolder(PrivateFiles.createFolders(path));
    }

    @Override
    public void close() throws IOException {
        delete(path);
    }

    /** Deletes a folder; does nothing if it does not exist. */
    static void delete(Path folder) throws IOException {
        try (Stream<Path> tree = Files.walk(folder)) {
            for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (NoSuchFileException e) {
            // The folder does not exist.
        }
    }
}
