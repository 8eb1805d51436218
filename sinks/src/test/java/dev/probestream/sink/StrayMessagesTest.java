package dev.probestream.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.schema.message.Topics;
import dev.probestream.sink.finish.SinkFormat;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What others put into the events topic. */
@Timeout(240)
class StrayMessagesTest {
    private static final int PARTITIONS = 3;
    private static final int EVENTS = 500;
    private static final int STRAY = 300;

    @TempDir
    private Path folder;

    private SinkTopics topics;
    private Path out;

    @BeforeEach
    void start() throws Exception {
        topics = SinkTopics.start(folder.resolve("broker")).make(PARTITIONS);
        out = folder.resolve("out");
    }

    @AfterEach
    void stop() {
        topics.close();
    }

    private SinkOutcome run(SinkFormat format) throws Exception {
        return SinkThread.toItsEnd(SinkRequest.catchUp(format, out, topics.kafka(), SinkTest.SECONDS), new SinkLog());
    }

    @ParameterizedTest
    @EnumSource(SinkFormat.class)
    void malformedRecordsLeaveNoFile(SinkFormat format) throws Exception {
        topics.begin(1).events(1, 0, EVENTS);
        Random random = new Random(7);
        for (int stray = 0; stray < STRAY; stray++) {
            topics.message(stray % PARTITIONS, random.nextLong(), malformed(stray, random));
        }
        topics.end(1, EVENTS);

        SinkOutcome outcome = run(format);

        assertThat(outcome.unreadable()).isEqualTo(STRAY);
        assertThat(outcome.eventsFinished()).isEqualTo(EVENTS);
        assertThat(SinkFiles.ofCapture(out, format, 1)).isEqualTo(SinkTest.upTo(EVENTS));
        assertThat(SinkFiles.names(out)).allMatch(name -> name.contains("c1-p") || name.endsWith("/1.parquet"));
        try (Stream<Path> own = Files.walk(out.resolve(".probestream"))) {
            assertThat(own.map(path -> path.getFileName().toString()))
                    .allMatch(
                            name -> name.matches(
                                    "\\.probestream|sink\\.json|metadata-0(\\.lock)?|captures\\.index|probestream\\.events-\\d\\.(lock|json)"));
        }
    }

    private byte @Nullable [] malformed(int number, Random random) {
        byte[] event = topics.value(1, number, 0);
        switch (number % 6) {
            case 0 -> {
                return null;
            }
            case 1 -> {
                return "{\"message\": \"of another program\"}".getBytes(StandardCharsets.UTF_8);
            }
            case 2 -> {
                byte[] noise = new byte[random.nextInt(200)];
                random.nextBytes(noise);
                return noise;
            }
            case 3 -> {
                return Arrays.copyOf(event, event.length - 1 - random.nextInt(event.length - 1));
            }
            case 4 -> {
                event[5] ^= 0x55; // in the fingerprint
                return event;
            }
            default -> {
                byte[] longer = Arrays.copyOf(event, event.length + 1 + random.nextInt(20));
                return longer;
            }
        }
    }

    @Test
    void eventsWhoseSchemaIsInARegistryEndASinkThatHasNone() throws Exception {
        topics.begin(1).events(1, 0, EVENTS).flush();
        byte[] value = topics.value(1, EVENTS, 0);
        byte[] framed = Arrays.copyOfRange(value, 5, value.length);
        System.arraycopy(new byte[] {0, 0, 0, 0, 7}, 0, framed, 0, 5);
        topics.message(1, framed).flush();

        for (int round = 0; round < 2; round++) {
            assertThatThrownBy(() -> run(SinkFormat.PARQUET))
                    .isInstanceOf(SinkException.class)
                    .hasMessage("the sink in " + out + " failed: read a message that begins with 00 and the id of a"
                            + " schema: the schema is in a schema registry; give its URL with --schema-registry");
        }
    }

    @Test
    void aMessageOfOthersThatBeginsAsThoseOfARegistryIsLeftOut() throws Exception {
        topics.capture(1, EVENTS);
        topics.stray(new byte[] {0, 0, 0, 0, 7, 1, 2, 3}).flush();

        SinkOutcome outcome = run(SinkFormat.PARQUET);

        assertThat(outcome.unreadable()).isEqualTo(1);
        assertThat(outcome.eventsFinished()).isEqualTo(EVENTS);
    }

    @ParameterizedTest
    @EnumSource(SinkFormat.class)
    void anEventInTheWrongPartitionIsNotDoubled(SinkFormat format) throws Exception {
        topics.capture(1, EVENTS);
        int home = Topics.partition(1, PARTITIONS);
        for (long sequence : List.of(0L, 1L, 250L)) {
            topics.message((home + 1) % PARTITIONS, 1, topics.value(1, sequence, 0));
            topics.message((home + 2) % PARTITIONS, 1, topics.value(1, sequence, 0));
        }
        topics.flush();

        SinkOutcome outcome = run(format);

        assertThat(outcome.eventsFinished()).isEqualTo(EVENTS);
        assertThat(outcome.unreadable()).isEqualTo(6);
        assertThat(outcome.missing()).isZero();
        assertThat(SinkFiles.ofCapture(out, format, 1)).isEqualTo(SinkTest.upTo(EVENTS));
    }

    @Test
    void capturesFromBeforeATopicGotMorePartitionsAreInTheFiles() throws Exception {
        topics.capture(1, EVENTS);
        run(SinkFormat.PERFETTO);
        for (long capture = 2; capture <= 12; capture++) {
            topics.capture(capture, 10);
        }
        topics.grow(7);
        for (long capture = 13; capture <= 24; capture++) {
            topics.capture(capture, 10);
        }

        assertThat(run(SinkFormat.PERFETTO).unreadable()).isZero();
        for (long capture : LongStream.rangeClosed(2, 24).toArray()) {
            assertThat(SinkFiles.ofCapture(out, SinkFormat.PERFETTO, capture)).isEqualTo(SinkTest.upTo(10));
        }
    }

    @Test
    void capturesThatBeginWhenARunningSinksTopicGetsMorePartitionsAreInTheFiles() throws Exception {
        topics.capture(1, 10);
        SinkRequest request = SinkRequest.follow(SinkFormat.PERFETTO, out, topics.kafka(), "group", SinkTest.SECONDS);
        try (SinkThread sink = SinkThread.start(request)) {
            sink.await("it has read all", Duration.ofSeconds(60), () -> sink.log.finished.size() == 1);
            topics.grow(7);
            for (long capture = 2; capture <= 24; capture++) {
                if (Topics.partition(capture, 7) < PARTITIONS) {
                    topics.capture(capture, 10);
                }
            }
            long old = LongStream.rangeClosed(2, 24)
                    .filter(capture -> Topics.partition(capture, 7) < PARTITIONS)
                    .count();
            sink.await("it has read the others", Duration.ofSeconds(60), () -> sink.log.finished.size() == 1 + old);
            assertThat(sink.stop().unreadable()).isZero();
        }
    }
}
