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

    /** Makes one that stays. Its name is made of a title and is new, so that it has no files of an earlier run. */
    public static Path fresh(Path parent, String title) throws IOException {
        String name = title.replaceAll("[^\\w.]+", "-");
        Path folder = parent.resolve(name);
        for (int i = 2; Files.exists(folder); i++) {
            folder = parent.resolve(name + "-" + i);
        }
        return Files.createDirectories(folder);
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
