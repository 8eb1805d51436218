package dev.probestream.sink;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.sink.finish.SinkFormat;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Topics with the metadata of many captures; the number of captures bounds neither memory nor files nor what is read. */
@Timeout(300)
class ManyCapturesTest {
    private static final Duration LONG = Duration.ofSeconds(90);
    private static final int CAPTURES = 6_000;
    private static final int STACKS = 20;
    private static final byte[] UNREADABLE = "nonsense".getBytes(StandardCharsets.US_ASCII);

    @TempDir
    private Path folder;

    private SinkTopics topics;
    private Path out;

    @BeforeEach
    void start() throws Exception {
        topics = SinkTopics.start(folder.resolve("broker")).make(2);
        out = folder.resolve("out");
    }

    @AfterEach
    void stop() {
        topics.close();
    }

    private SinkRequest catchUp(Path output) {
        return SinkRequest.catchUp(SinkFormat.PARQUET, output, topics.kafka(), SinkTest.SECONDS);
    }

    private static boolean hasReadUnreadable(SinkLog log) {
        return log.lines.stream().anyMatch(line -> line.startsWith("unreadable metadata"));
    }

    /** Those that are there all the time: a sink that runs takes others away while they are listed. */
    private static List<Path> files(Path folder, String glob) throws IOException {
        PathMatcher matcher = folder.getFileSystem().getPathMatcher("glob:" + glob);
        List<Path> found = new ArrayList<>();
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (matcher.matches(file.getFileName())) {
                    found.add(file);
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException cause) throws IOException {
                return goOn(cause);
            }

            @Override
            public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException cause) throws IOException {
                return goOn(cause);
            }
        });
        return found;
    }

    private static FileVisitResult goOn(@Nullable IOException cause) throws IOException {
        if (cause != null && !(cause instanceof NoSuchFileException)) {
            throw cause;
        }
        return FileVisitResult.CONTINUE;
    }

    private List<String> logs() throws IOException {
        return files(out, "*.log").stream()
                .map(file -> file.getFileName().toString())
                .toList();
    }

    /** Their state alone would fill the heap: only the captures with events are loaded. */
    @Test
    @Tag("deep")
    void deadCapturesTakeNeitherMemoryNorFiles() throws Exception {
        for (int capture = 1_000; capture < 1_000 + CAPTURES; capture++) {
            topics.begin(capture);
            for (int stack = 1; stack <= STACKS; stack++) {
                topics.stack(capture, stack);
            }
        }
        topics.begin(1).begin(2).event(1, 0, 0).event(2, 0, 0).flush();
        Process sink = SinkChild.start(topics.kafka(), out, folder.resolve("child.log"), "-Xmx40m");
        try {
            SinkChild.awaitLocked(out, sink);
            topics.events(1, 1, 100).end(1, 100);
            // A capture's log is deleted after its files are finished.
            long endNanos = System.nanoTime() + LONG.toNanos();
            while (files(out, "c1-p*.parquet").isEmpty() || !logs().equals(List.of("2.log"))) {
                assertThat(sink.isAlive())
                        .as(Files.readString(folder.resolve("child.log")))
                        .isTrue();
                assertThat(System.nanoTime()).as("logs %s", logs()).isLessThan(endNanos);
                TimeUnit.MILLISECONDS.sleep(100);
            }
            assertThat(Files.size(files(out, "captures.index").get(0))).isLessThan(CAPTURES * 32L * 8);
        } finally {
            sink.destroy();
            assertThat(sink.waitFor(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void aRestartReadsOnlyNewMetadata() throws Exception {
        topics.metadata(UNREADABLE, new byte[] {1});
        topics.capture(1, 10);
        SinkLog first = new SinkLog();
        SinkThread.toItsEnd(catchUp(out), first);
        assertThat(hasReadUnreadable(first)).isTrue();
        topics.capture(2, 20);
        SinkLog second = new SinkLog();

        SinkThread.toItsEnd(catchUp(out), second);

        assertThat(hasReadUnreadable(second)).isFalse();
        assertThat(SinkFiles.ofCapture(out, SinkFormat.PARQUET, 2)).isEqualTo(SinkTest.upTo(20));
        assertThat(second.finished)
                .singleElement()
                .satisfies(segment -> assertThat(segment.warnings()).isEmpty());
    }

    @Test
    void metadataOlderThanTheOldestEventIsNotReadUnlessACaptureBeganThere() throws Exception {
        Instant yesterday = Instant.now().minus(Duration.ofDays(1));
        topics.at(yesterday).metadata(UNREADABLE, new byte[] {1});
        topics.begin(1).stack(1, 77);
        topics.at(null).capture(2, 20);
        SinkLog log = new SinkLog();
        SinkThread.toItsEnd(catchUp(out), log);
        assertThat(hasReadUnreadable(log)).isFalse();
        assertThat(SinkFiles.ofCapture(out, SinkFormat.PARQUET, 2)).isEqualTo(SinkTest.upTo(20));

        topics.event(1, 0, 77).end(1, 1);
        SinkThread.toItsEnd(catchUp(out), log);

        assertThat(hasReadUnreadable(log)).isTrue();
        assertThat(SinkFiles.ofCapture(out, SinkFormat.PARQUET, 1)).isEqualTo(SinkTest.upTo(1));
        assertThat(log.finished)
                .hasSize(2)
                .allSatisfy(segment -> assertThat(segment.warnings()).isEmpty());
    }

    /** A sink that is far behind: the captures' segments are closed in the topic's time, not all at its end. */
    @Test
    @Tag("deep")
    void segmentsOfKilledCollectorsAreClosedWhileTheTopicIsRead() throws Exception {
        Instant start = Instant.now().minus(Duration.ofHours(10));
        for (int capture = 1; capture <= 100; capture++) {
            topics.at(start.plusSeconds(100L * capture)).begin(capture).events(capture, 0, 40);
        }
        topics.flush();
        int[] loadedFirst = {0};
        SinkListener watching = new SinkListener() {
            @Override
            public void finished(FinishedSegment segment) {
                try {
                    if (loadedFirst[0] == 0) {
                        loadedFirst[0] = files(out, "*.log").size();
                    }
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            }
        };

        SinkOutcome outcome;
        java.util.Map<String, String> kafka = topics.kafka();
        kafka.put("max.poll.records", "500");
        try (Sink sink = Sink.open(SinkRequest.catchUp(SinkFormat.CHROME, out, kafka, SinkTest.SECONDS), watching)) {
            outcome = sink.run(() -> false);
        }

        assertThat(outcome.eventsFinished()).isEqualTo(100 * 40);
        assertThat(outcome.missing()).isZero();
        assertThat(loadedFirst[0]).isBetween(1, 50);
    }
}
