package dev.probestream.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.bpf.KernelTest;
import dev.probestream.sink.finish.SinkFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A file system of three megabytes, mounted for the test, that another file nearly fills. */
@KernelTest(since = "5.8")
@Timeout(240)
class SinkDiskFullTest {
    @TempDir
    private Path folder;

    private Path disk = Path.of("");

    @BeforeEach
    void mount() throws Exception {
        disk = Files.createDirectory(folder.resolve("disk"));
        run("mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", disk.toString());
    }

    @AfterEach
    void unmount() throws Exception {
        run("umount", disk.toString());
    }

    @ParameterizedTest
    @EnumSource(SinkFormat.class)
    void aFullDiskIsWaitedFor(SinkFormat format) throws Exception {
        Path otherFile = disk.resolve("other-file");
        Files.write(otherFile, new byte[2_900_000]);
        Path out = disk.resolve("out");
        int events = events(format);
        try (SinkTopics topics = SinkTopics.start(folder.resolve("broker")).make(1)) {
            topics.capture(1, events);
            try (SinkThread sink =
                    SinkThread.start(SinkRequest.catchUp(format, out, topics.kafka(), SinkTest.SECONDS))) {
                sink.await(
                        "it reports that the disk is full",
                        Duration.ofSeconds(90),
                        () -> sink.log.waits.contains(SinkWait.DISK));
                assertThat(sink.log.lines)
                        .anyMatch(line ->
                                line.contains("the disk of " + out + " is full") && line.contains("No space left"));
                List<Long> before = SinkFiles.ofCapture(out, format, 1);
                assertThat(before).doesNotHaveDuplicates().hasSizeLessThan(events);
                Files.write(otherFile, new byte[0]);
                sink.awaitEnd();
                assertThat(sink.log.lines).contains("resumed: DISK");
            }
        }
        assertThat(SinkFiles.ofCapture(out, format, 1)).isEqualTo(SinkTest.upTo(events));
    }

    @Test
    void aDiskThatStaysFullEndsASinkThatIsToEnd() throws Exception {
        Files.write(disk.resolve("other-file"), new byte[2_900_000]);
        Path out = disk.resolve("out");
        try (SinkTopics topics = SinkTopics.start(folder.resolve("broker")).make(1)) {
            topics.capture(1, events(SinkFormat.CHROME));
            SinkRequest request = SinkRequest.catchUp(SinkFormat.CHROME, out, topics.kafka(), SinkTest.SECONDS)
                    .withWaitLimit(Duration.ofSeconds(1));

            assertThatThrownBy(() -> SinkThread.toItsEnd(request, new SinkLog()))
                    .isInstanceOf(SinkException.class)
                    .hasMessageContaining(
                            "cannot finish: after a wait of 1 s (--timeout), the disk of " + out + " is full")
                    .hasMessageContaining("; events that are not in files yet stay in the topic");
        }
    }

    /** More than the disk has room for at first, and less than it has in all. */
    private static int events(SinkFormat format) {
        return switch (format) {
            case PERFETTO, CHROME -> 20_000;
            case PARQUET -> 100_000;
        };
    }

    private static void run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).inheritIO().start();
        if (process.waitFor() != 0) {
            throw new IOException(String.join(" ", command) + " ended with " + process.exitValue());
        }
    }
}
