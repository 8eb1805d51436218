package dev.probestream.schema.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is left of temporary folders. The end of a JVM is tried in another one. */
class TemporaryFolderTest {
    @TempDir
    private Path temporary;

    @Test
    void closingDeletesItWithItsFiles() throws Exception {
        Path path;
        try (TemporaryFolder folder = TemporaryFolder.create("closed-")) {
            path = folder.path();
            Files.writeString(Files.createDirectory(path.resolve("inner")).resolve("file"), "x");
            assertThat(path.getFileName().toString()).startsWith("closed-");
        }

        assertThat(path).doesNotExist();
    }

    @Test
    void nothingIsLeftWhileThreadsStillWriteAndCreateFolders() throws Exception {
        Process ended = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Djava.io.tmpdir=" + temporary,
                        "-XX:-UsePerfData",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Ending.class.getName())
                .inheritIO()
                .start();

        assertThat(ended.waitFor()).isEqualTo(Ending.EXIT_CODE);
        try (Stream<Path> left = Files.list(temporary)) {
            assertThat(left).isEmpty();
        }
    }

    /** Ends while a thread creates files in a folder, and another one creates folders. */
    static final class Ending {
        static final int EXIT_CODE = 3;

        private Ending() {}

        public static void main(String[] unused) throws Exception {
            TemporaryFolder folder = TemporaryFolder.create("written-");
            start(() -> {
                for (int i = 0; ; i++) {
                    Files.createFile(folder.path().resolve("file-" + i));
                }
            });
            start(() -> {
                while (true) {
                    TemporaryFolder.create("created-");
                }
            });
            while (!Files.exists(folder.path().resolve("file-1"))) {
                Thread.onSpinWait();
            }
            System.exit(EXIT_CODE);
        }

        private static void start(Work work) {
            Thread thread = new Thread(() -> {
                try {
                    work.run();
                } catch (IOException e) {
                    // The folder is gone, or the JVM is ending.
                }
            });
            thread.setDaemon(true);
            thread.start();
        }

        private interface Work {
            void run() throws IOException;
        }
    }
}
