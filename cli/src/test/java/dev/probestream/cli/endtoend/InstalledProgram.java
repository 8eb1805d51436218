package dev.probestream.cli.endtoend;

import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** Programs of the machine that tests record. Without one the test is skipped, or on CI fails: it would prove nothing. */
final class InstalledProgram {
    private InstalledProgram() {}

    /** The program of this name in PATH, as it stands there: some look at the name they are called by. */
    static Path inPath(String name) {
        return required(
                Arrays.stream(System.getenv("PATH").split(":"))
                        .map(folder -> Path.of(folder, name))
                        .filter(Files::isExecutable)
                        .findFirst(),
                name + " in PATH");
    }

    /** PostgreSQL's programs are not in PATH on Debian; those of the newest version that is there. */
    static Path ofPostgres(String name) throws IOException {
        Comparator<Path> byVersion = Comparator.comparing(
                folder -> Integer.valueOf(folder.getFileName().toString()));
        return required(
                subfolders(Path.of("/usr/lib/postgresql")).stream()
                        .sorted(byVersion.reversed())
                        .map(version -> version.resolve("bin").resolve(name))
                        .filter(Files::isExecutable)
                        .findFirst(),
                name + " in /usr/lib/postgresql/VERSION/bin");
    }

    /** The JDK the tests run on, and those that Debian's packages have put beside it. */
    static List<Path> javaHomes() throws IOException {
        Stream<Path> all = Stream.concat(
                Stream.of(Path.of(System.getProperty("java.home"))), subfolders(Path.of("/usr/lib/jvm")).stream());
        return all.filter(home -> Files.isExecutable(home.resolve("bin/java")))
                .filter(home -> Files.exists(home.resolve("lib/server/libjvm.so")))
                .map(InstalledProgram::realPath)
                .distinct()
                .toList();
    }

    private static Path required(Optional<Path> program, String what) {
        if (program.isEmpty() && "true".equals(System.getenv("CI"))) {
            fail("there is no " + what + ", and on CI no test may be skipped");
        }
        Assumptions.assumeTrue(program.isPresent(), "there is no " + what);
        return program.orElseThrow();
    }

    private static List<Path> subfolders(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(Files::isDirectory).sorted().toList();
        }
    }

    private static Path realPath(Path path) {
        try {
            return path.toRealPath();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
