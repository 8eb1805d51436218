package dev.probestream.bench.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * A temporary folder that is deleted when it is closed.
 *
 * @param path absolute
 */
public record Folder(Path path) implements AutoCloseable {
    public static Folder create() throws IOException {
        return new Folder(Files.createTempDirectory("probestream-bench"));
    }

    @Override
    public void close() throws IOException {
        List<Path> all;
        try (Stream<Path> walked = Files.walk(path)) {
            all = walked.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path each : all) {
            Files.delete(each);
        }
    }
}
