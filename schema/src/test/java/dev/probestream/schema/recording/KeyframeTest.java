package dev.probestream.schema.recording;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.TestRecords;
import dev.probestream.schema.record.Event;
import dev.probestream.schema.record.Keyframe;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A reading can begin at each Keyframe, and has what is in it first. */
class KeyframeTest {
    private static final int PIECES = 40;
    /** Random bytes, which do not compress: the file is many times larger than what is searched from beginning to end. */
    private static final int EVENTS_PER_PIECE = 800;

    private static final long PIECE_NS = 1_000;
    private static final int MUTATIONS = 60;

    @TempDir
    private Path folder;

    private Path file;
    private final List<SpecificRecord> written = new ArrayList<>();
    /** Where each Keyframe is among what was written. */
    private final List<Integer> keyframes = new ArrayList<>();
    /** How long the file was before each of them. */
    private final List<Long> positions = new ArrayList<>();

    @BeforeEach
    void write() throws IOException {
        file = folder.resolve("pieces.avro");
        SplittableRandom random = new SplittableRandom(5);
        EventEncoder encoder = new EventEncoder();
        try (RecordingWriter writer = RecordingWriter.create(file)) {
            for (SpecificRecord record : TestRecords.metadata().subList(0, 4)) {
                append(writer, record);
            }
            for (int piece = 0; piece < PIECES; piece++) {
                for (int i = 0; i < EVENTS_PER_PIECE; i++) {
                    Event event = TestRecords.event(random);
                    encoder.encode(event);
                    writer.append(encoder);
                    written.add(event);
                }
                writer.flush();
                positions.add(writer.sizeBytes());
                keyframes.add(written.size());
                append(writer, TestRecords.keyframe(written.size(), at(piece)));
            }
            append(writer, TestRecords.metadata().get(5));
        }
    }

    private void append(RecordingWriter writer, SpecificRecord record) throws RecordingException {
        writer.append(record);
        written.add(record);
    }

    private static long at(int piece) {
        return (piece + 1) * PIECE_NS;
    }

    @Test
    void theLastKeyframeBeforeATimeIsFound() throws IOException {
        for (int piece = 0; piece < PIECES; piece += 3) {
            for (long fromNs : List.of(at(piece), at(piece) + PIECE_NS - 1)) {
                CollectingHandler handler = new CollectingHandler();
                ReadOutcome outcome = RecordingReader.read(file, fromNs, handler);

                assertThat(handler.records()).as("from %d", fromNs).isEqualTo(fromPiece(piece));
                assertThat(outcome.isWhole()).isTrue();
                assertThat(outcome.unreadBytes()).isEqualTo(positions.get(piece) - headerBytes());
            }
        }
    }

    /** As a ring of recordings joined after a reboot: the clock of the second capture began again. */
    @Test
    void aCaptureThatFollowsHasNoSayInWhereToBegin() throws IOException {
        Path joined = folder.resolve("joined.avro");
        Path second = folder.resolve("second.avro");
        EventEncoder encoder = new EventEncoder();
        SplittableRandom random = new SplittableRandom(6);
        try (RecordingWriter writer = RecordingWriter.create(second)) {
            for (int piece = 0; piece < PIECES; piece++) {
                Keyframe keyframe = TestRecords.keyframe(piece, piece);
                keyframe.setCaptureId(8);
                writer.append(keyframe);
                for (int i = 0; i < EVENTS_PER_PIECE; i++) {
                    encoder.encode(TestRecords.event(random));
                    writer.append(encoder);
                }
            }
        }
        RecordingJoin.join(List.of(file, second), joined);
        for (int piece = 0; piece < PIECES; piece += 9) {
            CollectingHandler handler = new CollectingHandler();
            RecordingReader.read(joined, at(piece), handler);

            int own = fromPiece(piece).size();
            assertThat(handler.records().subList(0, own)).isEqualTo(fromPiece(piece));
            assertThat(handler.records().stream().filter(record -> record instanceof Event))
                    .hasSize((PIECES - piece - 1) * EVENTS_PER_PIECE + PIECES * EVENTS_PER_PIECE);
        }
    }

    @Test
    void withoutAKeyframeBeforeItTheWholeFileIsRead() throws IOException {
        CollectingHandler handler = new CollectingHandler();
        ReadOutcome outcome = RecordingReader.read(file, PIECE_NS - 1, handler);

        assertThat(handler.records()).isEqualTo(written);
        assertThat(outcome.unreadBytes()).isZero();
    }

    @Test
    void aKeyframeThatIsDamagedIsPassedOver() throws IOException {
        try (RandomAccessFile opened = new RandomAccessFile(file.toFile(), "rw")) {
            opened.seek(positions.get(7) + 20);
            opened.write(new byte[30]);
        }
        CollectingHandler handler = new CollectingHandler();
        RecordingReader.read(file, at(7), handler);

        List<SpecificRecord> expected = new ArrayList<>(fromPiece(6));
        expected.remove(written.get(keyframes.get(7)));
        assertThat(handler.records()).isEqualTo(expected);
    }

    @Test
    void aFileWhoseBeginningIsDamagedBeginsWithItsFirstKeyframe() throws IOException {
        try (RandomAccessFile opened = new RandomAccessFile(file.toFile(), "rw")) {
            opened.seek(headerBytes());
            opened.write(new byte[(int) (positions.get(0) - SyncMarker.BYTES - headerBytes())]);
        }
        CollectingHandler handler = new CollectingHandler();
        ReadOutcome outcome = RecordingReader.read(file, handler);

        assertThat(outcome.isWhole()).isFalse();
        assertThat(handler.records()).isEqualTo(fromPiece(0));
    }

    /** Whatever the bytes are, what is read was written, and it begins where something can begin. */
    @Test
    void anyDamageIsReadAround() throws IOException {
        byte[] whole = Files.readAllBytes(file);
        SplittableRandom random = new SplittableRandom(17);
        Set<SpecificRecord> known = new HashSet<>(written);
        known.addAll(fromPiece(0).subList(0, 5));
        for (int piece = 0; piece < PIECES; piece++) {
            known.add(TestRecords.keyframe(keyframes.get(piece), at(piece)).getClock());
        }
        for (int i = 0; i < MUTATIONS; i++) {
            byte[] damaged = whole.clone();
            for (int change = random.nextInt(1, 20); change > 0; change--) {
                int from = random.nextInt((int) headerBytes(), damaged.length);
                int to = Math.min(damaged.length, from + random.nextInt(1, 40_000));
                for (int at = from; at < to; at++) {
                    damaged[at] = (byte) random.nextInt();
                }
            }
            int end = random.nextInt((int) headerBytes(), damaged.length + 1);
            Files.write(file, Arrays.copyOf(damaged, end));
            CollectingHandler handler = new CollectingHandler();
            ReadOutcome outcome = RecordingReader.read(file, random.nextLong(0, (PIECES + 2) * PIECE_NS), handler);

            assertThat(handler.records().stream().filter(record -> !(record instanceof Event)))
                    .as("mutation %d", i)
                    .allMatch(known::contains);
            assertThat(outcome.unreadBytes() + outcome.skippedBytes()).isLessThanOrEqualTo(end);
        }
    }

    private long headerBytes() throws IOException {
        try (RecordingFile opened = RecordingFile.open(file)) {
            return RecordingHeader.read(opened).endBytes();
        }
    }

    /** What is read from the Keyframe at the end of a piece on. */
    private List<SpecificRecord> fromPiece(int piece) {
        int begins = keyframes.get(piece);
        Keyframe keyframe = (Keyframe) written.get(begins);
        List<SpecificRecord> expected = new ArrayList<>();
        expected.add(keyframe.getCapture());
        expected.add(keyframe.getClock());
        expected.addAll(keyframe.getProbes());
        expected.addAll(keyframe.getProcesses());
        expected.addAll(keyframe.getThreads());
        expected.addAll(written.subList(begins, written.size()));
        return expected;
    }
}
