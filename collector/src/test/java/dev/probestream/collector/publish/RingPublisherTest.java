package dev.probestream.collector.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.EventView;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.Clock;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.Keyframe;
import dev.probestream.schema.recording.ReadOutcome;
import dev.probestream.schema.recording.RecordingHandler;
import dev.probestream.schema.recording.RecordingJoin;
import dev.probestream.schema.recording.RecordingReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RingPublisherTest {
    private static final long SECOND_NS = 1_000_000_000L;
    private static final int EVENTS_PER_PIECE = 500;
    private static final RingPublisher.Bounds AN_HOUR =
            new RingPublisher.Bounds(Duration.ofHours(1), Long.MAX_VALUE, 0);

    @TempDir
    private Path parent;

    private long nowNs;
    private long sequence;
    private final List<String> notices = new ArrayList<>();
    private final EventEncoder event = new EventEncoder();
    private final SplittableRandom random = new SplittableRandom(3);

    private Path folder() {
        return parent.resolve("ring");
    }

    private RingPublisher open(RingPublisher.Bounds bounds) {
        return RingPublisher.open(folder(), bounds, notices::add, () -> nowNs);
    }

    @Test
    void eachRecordingCanBeReadByItselfAndAllAreOneStream() throws IOException {
        try (RingPublisher ring = open(AN_HOUR)) {
            publish(ring, 5);
            ring.complete();
            assertThat(ring.publishedBytes()).isEqualTo(sizes());
        }
        List<Path> recordings = RingPublisher.recordings(folder());
        assertThat(recordings).hasSize(6);
        for (int i = 0; i < recordings.size(); i++) {
            Read read = new Read();
            assertThat(RecordingReader.read(recordings.get(i), read).isWhole()).isTrue();
            assertThat(read.captures).as("recording %d", i).hasSize(1);
            assertThat(read.sequences).hasSize(EVENTS_PER_PIECE).first().isEqualTo((long) i * EVENTS_PER_PIECE);
        }

        Path joined = parent.resolve("joined.avro");
        List<ReadOutcome> parts = RecordingJoin.join(recordings.subList(2, 6), joined);
        Read read = new Read();
        RecordingReader.read(joined, read);
        assertThat(parts).allMatch(ReadOutcome::isWhole);
        assertThat(read.captures).hasSize(1);
        assertThat(read.sequences).hasSize(4 * EVENTS_PER_PIECE).first().isEqualTo(2L * EVENTS_PER_PIECE);
        for (int i = 1; i < read.sequences.size(); i++) {
            assertThat(read.sequences.get(i)).isEqualTo(read.sequences.get(i - 1) + 1);
        }
    }

    @Test
    void whatIsTooOldIsDeleted() throws IOException {
        try (RingPublisher ring = open(new RingPublisher.Bounds(Duration.ofSeconds(25), Long.MAX_VALUE, 0))) {
            publish(ring, 10);
            assertThat(RingPublisher.recordings(folder())).hasSize(4);
        }
        assertThat(notices).isEmpty();
    }

    @Test
    void whatTakesTooMuchSpaceIsDeletedAndThatIsSaid() throws IOException {
        try (RingPublisher ring = open(AN_HOUR)) {
            publish(ring, 1);
        }
        long max = 3 * sizes();
        try (RingPublisher ring = open(new RingPublisher.Bounds(Duration.ofHours(1), max, 0))) {
            for (int i = 0; i < 20; i++) {
                publish(ring, 1);
                assertThat(sizes()).isLessThanOrEqualTo(max);
            }
        }
        assertThat(notices)
                .containsExactly("the folder " + folder()
                        + " has no room for 3600 s of recording: it holds less than that from now on");
    }

    @Test
    void whenTheDiskIsFullTheOldestGoesFirst() throws IOException {
        try (RingPublisher ring = open(new RingPublisher.Bounds(Duration.ofHours(1), Long.MAX_VALUE, Long.MAX_VALUE))) {
            publish(ring, 5);
            assertThat(RingPublisher.recordings(folder()))
                    .as("the one that is being written")
                    .hasSize(1);
        }
    }

    @Test
    void aRingGoesOnWhereTheLastOneEnded() throws IOException {
        try (RingPublisher ring = open(AN_HOUR)) {
            publish(ring, 2);
        }
        List<Path> before = RingPublisher.recordings(folder());
        try (RingPublisher ring = open(AN_HOUR)) {
            publish(ring, 1);
        }
        assertThat(RingPublisher.recordings(folder()))
                .startsWith(before.toArray(Path[]::new))
                .hasSize(5);
    }

    @Test
    void anotherOneInTheSameFolderIsRefused() {
        try (RingPublisher ring = open(AN_HOUR)) {
            assertThat(ring.takesKeyframes()).isTrue();
            assertThatThrownBy(() -> open(AN_HOUR))
                    .isInstanceOf(PublishException.class)
                    .hasMessage("cannot write into the folder " + folder()
                            + ": another process writes into it; stop that one, or name another folder");
        }
    }

    @Test
    void aFolderThatIsAFileIsRefused() throws IOException {
        Files.writeString(folder(), "");
        assertThatThrownBy(() -> open(AN_HOUR))
                .isInstanceOf(PublishException.class)
                .hasMessageContaining("cannot write into the folder " + folder());
    }

    private long sizes() throws IOException {
        long bytes = 0;
        for (Path recording : RingPublisher.recordings(folder())) {
            bytes += Files.size(recording);
        }
        return bytes;
    }

    /** A Capture and so many Keyframes, ten seconds apart, with events behind each. */
    private void publish(RingPublisher ring, int keyframes) {
        Capture capture = new Capture(
                7L, "host", "boot", "Linux", "6", "#1", "x86_64", 2, "0.1.0", List.of(), nowNs, nowNs, nowNs);
        ring.publish(capture);
        publishEvents(ring);
        for (int i = 0; i < keyframes; i++) {
            nowNs += 10 * SECOND_NS;
            ring.publish(new Keyframe(
                    7L, sequence, 0L, new Clock(7L, nowNs, nowNs, nowNs), capture, List.of(), List.of(), List.of()));
            publishEvents(ring);
        }
    }

    private void publishEvents(RingPublisher ring) {
        for (int i = 0; i < EVENTS_PER_PIECE; i++) {
            event.begin(7, sequence++, nowNs, -1, 1, 1, 0, 1, EventKind.INSTANT);
            event.beginNumbers(4);
            for (int number = 0; number < 4; number++) {
                event.number(random.nextLong());
            }
            event.beginStrings(0);
            event.end(0, 0, 0);
            ring.publish(event);
        }
        ring.flush();
    }

    private static final class Read implements RecordingHandler {
        private final List<Capture> captures = new ArrayList<>();
        private final List<Long> sequences = new ArrayList<>();

        @Override
        public void capture(Capture capture) {
            captures.add(capture);
        }

        @Override
        public void event(EventView event) {
            sequences.add(event.sequence());
        }
    }
}
