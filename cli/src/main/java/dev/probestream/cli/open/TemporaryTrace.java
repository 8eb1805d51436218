package dev.probestream.cli.open;

import dev.probestream.schema.file.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A trace in a temporary folder, which is deleted by {@link #close} and at the end of the JVM, also by a signal. */
final class TemporaryTrace implements AutoCloseable {
    private final Path folder;
    private final Path path;

    private TemporaryTrace(Path folder, Path path) {
        this.folder = folder;
        this.path = path;
    }

    /** Creates the folder for the trace of a recording: {@code incident.pftrace} for {@code incident.avro}. */
    static TemporaryTrace of(Path recording) throws IOException {
        Path folder = PrivateFiles.createTemporaryFolder("probestream-open");
        String name = recording.getFileName().toString().replaceFirst("\\.avro$", "") + ".pftrace";
        Runtime.getRuntime().addShutdownHook(new Thread(() -> deleteQuietly(folder), "temporary trace"));
        return new TemporaryTrace(folder, folder.resolve(name));
    }

    Path path() {
        return path;
    }

    @Override
    public void close() throws IOException {
        delete(folder);
    }

    private static void delete(Path folder) throws IOException {
        List<Path> deepestFirst;
        try (Stream<Path> tree = Files.walk(folder)) {
            deepestFirst = tree.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path each : deepestFirst) {
            Files.deleteIfExists(each);
        }
    }

    private static void deleteQuietly(Path folder) {
        try {
            if (Files.exists(folder)) {
                delete(folder);
            }
        } catch (IOException e) {
            // The JVM is ending and cannot report it; the system cleans up its temporary folder.
        }
    }
}
