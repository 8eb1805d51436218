package dev.probestream.schema.recording;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.EventView;
import dev.probestream.schema.TestRecords;
import dev.probestream.schema.record.Event;
import dev.probestream.schema.record.Recording;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DamagedRecordingTest {
    private static final int BLOCKS = 4;
    private static final int EVENTS_PER_BLOCK = 2;

    @TempDir
    private Path folder;

    private Path file;
    private byte[] whole;
    private List<SpecificRecord> written;
    /** Where each block begins, and at last where the file ends. */
    private List<Integer> blockStarts;

    @BeforeEach
    void writeBlocks() throws IOException {
        file = folder.resolve("damaged.avro");
        written = new ArrayList<>();
        blockStarts = new ArrayList<>();
        SplittableRandom random = new SplittableRandom(11);
        EventEncoder encoder = new EventEncoder();
        try (RecordingWriter writer = RecordingWriter.create(file)) {
            for (int block = 0; block < BLOCKS; block++) {
                blockStarts.add((int) writer.sizeBytes());
                for (int i = 0; i < EVENTS_PER_BLOCK; i++) {
                    written.add(TestRecords.event(random));
                    encoder.encode((Event) written.get(written.size() - 1));
                    writer.append(encoder);
                }
                written.add(TestRecords.metadata().get(block));
                writer.append(TestRecords.metadata().get(block));
                writer.flush();
            }
            blockStarts.add((int) writer.sizeBytes());
        }
        whole = Files.readAllBytes(file);
        assertThat(whole).hasSize(blockStarts.get(BLOCKS));
    }

    @Test
    void everyPrefixGivesItsWholeBlocks() throws IOException {
        for (int length = whole.length; length >= blockStarts.get(0); length--) {
            truncate(length);
            CollectingHandler handler = new CollectingHandler();
            ReadOutcome outcome = RecordingReader.read(file, handler);

            int end = length;
            long wholeBlocks =
                    blockStarts.stream().skip(1).filter(start -> start <= end).count();
            assertThat(handler.records()).isEqualTo(recordsOfFirst((int) wholeBlocks));
            assertThat(outcome.blocks()).isEqualTo(wholeBlocks);
            int tornBytes = length - blockStarts.get((int) wholeBlocks);
            assertThat(outcome.skippedBytes()).isEqualTo(tornBytes);
            assertThat(outcome.isWhole()).isEqualTo(tornBytes == 0);
            if (tornBytes > 0) {
                assertThat(outcome.damages()).singleElement().satisfies(damage -> {
                    assertThat(damage.positionInFile()).isEqualTo(end - tornBytes);
                    assertThat(damage.reason()).contains("the file ends inside a block");
                });
            }
        }
    }

    @Test
    void everyPrefixOfTheHeaderIsRefusedWithItsPosition() throws IOException {
        for (int length = 0; length < blockStarts.get(0); length++) {
            byte[] start = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> RecordingHeader.parse(file, start))
                    .isInstanceOfSatisfying(
                            RecordingFormatException.class,
                            e -> assertThat(e.positionInFile()).isEqualTo(start.length))
                    .hasMessageContaining(file + " (byte " + length + ")")
                    .hasMessageContaining(length == 0 ? "the file is empty" : "the file ends inside its header");
        }
        truncate(100);
        assertThatThrownBy(() -> RecordingReader.read(file, new CollectingHandler()))
                .isInstanceOf(RecordingFormatException.class);
    }

    @Test
    void aFlippedBitCostsTheBlocksItTouchesAndNoMore() throws IOException {
        for (int position = blockStarts.get(0); position < whole.length; position++) {
            overwrite(position, whole[position] ^ (1 << (position % 8)));
            CollectingHandler handler = new CollectingHandler();
            ReadOutcome outcome = RecordingReader.read(file, handler);
            overwrite(position, whole[position]);
            if (outcome.isWhole()) {
                // Some bits say nothing: that of the window's size in a zstandard frame that fits into any.
                assertThat(handler.records()).isEqualTo(written);
                continue;
            }

            int at = position;
            int block = (int)
                    blockStarts.stream().skip(1).filter(start -> start <= at).count();
            assertThat(outcome.damageCount()).as("byte %d", position).isEqualTo(1);
            assertThat(outcome.damages().get(0).positionInFile())
                    .isEqualTo(blockStarts.get(block).longValue());
            // A damaged marker takes the next block with it, because the next marker is the first to be found.
            int lostBlocks = at >= blockStarts.get(block + 1) - 16 ? 2 : 1;
            List<SpecificRecord> before = recordsOfFirst(block);
            List<SpecificRecord> after = recordsAfter(block + lostBlocks);
            List<SpecificRecord> read = handler.records();
            assertThat(read.size()).isBetween(before.size() + after.size(), written.size());
            assertThat(read.subList(0, before.size())).isEqualTo(before);
            assertThat(read.subList(read.size() - after.size(), read.size())).isEqualTo(after);
            assertThat(outcome.records()).isEqualTo(handler.records().size());
        }
    }

    @Test
    void garbageBetweenBlocksIsPassedOver() throws IOException {
        byte[] garbage = new byte[100_000];
        new SplittableRandom(12).nextBytes(garbage);
        int start = blockStarts.get(2);
        byte[] damaged = Arrays.copyOf(whole, whole.length + garbage.length);
        System.arraycopy(garbage, 0, damaged, start, garbage.length);
        System.arraycopy(whole, start, damaged, start + garbage.length, whole.length - start);
        Files.write(file, damaged);

        CollectingHandler handler = new CollectingHandler();
        ReadOutcome outcome = RecordingReader.read(file, handler);
        List<SpecificRecord> expected = new ArrayList<>(recordsOfFirst(2));
        expected.addAll(recordsAfter(3));
        assertThat(handler.records()).isEqualTo(expected);
        assertThat(outcome.damages()).hasSize(1);
        assertThat(outcome.skippedBytes()).isEqualTo(garbage.length + blockStarts.get(3) - start);
    }

    @Test
    void randomDamageIsSaidAndNothingElseIsThrown() throws IOException {
        fuzz(new SplittableRandom(13));
    }

    /** Without a checksum damage reaches the decoders. */
    @Test
    void randomDamageOfPlainBlocksIsSaidAndNothingElseIsThrown() throws IOException {
        AvroFile.write(file, Recording.SCHEMA$, CodecFactory.nullCodec(), written);
        fuzz(new SplittableRandom(14));
    }

    @Test
    void randomDamageOfDeflatedBlocksIsSaidAndNothingElseIsThrown() throws IOException {
        AvroFile.write(file, Recording.SCHEMA$, CodecFactory.deflateCodec(6), written);
        fuzz(new SplittableRandom(15));
    }

    @Test
    void randomDamageOfAnotherVersionIsSaidAndNothingElseIsThrown() throws IOException {
        SplittableRandom random = new SplittableRandom(16);
        List<Event> events =
                Stream.generate(() -> TestRecords.event(random)).limit(30).toList();
        AvroFile.writeNewerEvents(file, CodecFactory.nullCodec(), events);
        fuzz(random);
    }

    /** Damages the file again and again, mostly behind its header. */
    private void fuzz(SplittableRandom random) throws IOException {
        byte[] whole = Files.readAllBytes(file);
        int headerBytes = (int) RecordingHeader.parse(file, whole).endBytes();
        for (int i = 0; i < 500; i++) {
            byte[] damaged =
                    random.nextInt(8) == 0 ? Arrays.copyOf(whole, random.nextInt(whole.length)) : whole.clone();
            int untouched = random.nextInt(8) == 0 || damaged.length <= headerBytes ? 0 : headerBytes;
            for (int changes = random.nextInt(4); changes > 0 && damaged.length > 0; changes--) {
                damage(damaged, random.nextInt(untouched, damaged.length), random);
            }
            Files.write(file, damaged);
            CollectingHandler handler = new CollectingHandler();
            try {
                ReadOutcome outcome = RecordingReader.read(file, handler);
                assertThat(handler.records()).hasSize((int) outcome.records());
                assertThat(outcome.damages().isEmpty()).isEqualTo(outcome.isWhole());
                assertThat(outcome.skippedBytes()).isBetween(0L, (long) damaged.length);
            } catch (RecordingFormatException e) {
                assertThat(handler.records()).isEmpty();
            }
        }
    }

    private static void damage(byte[] bytes, int at, SplittableRandom random) {
        switch (random.nextInt(3)) {
            case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
            case 1 -> bytes[at] = (byte) random.nextInt();
            default -> Arrays.fill(bytes, at, Math.min(bytes.length, at + random.nextInt(64)), (byte) random.nextInt());
        }
    }

    @Test
    void aFileOfNothingButDamageKeepsTheFirstHundred() throws IOException {
        int start = blockStarts.get(0);
        byte[] marker = Arrays.copyOfRange(whole, start - 16, start);
        byte[] damaged = Arrays.copyOf(whole, start + 1_000 * 20);
        for (int at = start; at < damaged.length; at += 20) {
            Arrays.fill(damaged, at, at + 4, (byte) 0xFF);
            System.arraycopy(marker, 0, damaged, at + 4, 16);
        }
        Files.write(file, damaged);
        ReadOutcome outcome = RecordingReader.read(file, new CollectingHandler());
        assertThat(outcome.damageCount()).isEqualTo(1_000);
        assertThat(outcome.damages()).hasSize(ReadOutcome.MAX_DAMAGES);
        assertThat(outcome.skippedBytes()).isEqualTo(1_000 * 20);
    }

    @Test
    void anExceptionOfTheHandlerPassesUnchanged() {
        IOException own = new IOException("the output is full");
        assertThatThrownBy(() -> RecordingReader.read(file, new RecordingHandler() {
                    @Override
                    public void event(EventView event) throws IOException {
                        throw own;
                    }
                }))
                .isSameAs(own);
    }

    private void truncate(int length) throws IOException {
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            open.setLength(length);
        }
    }

    private void overwrite(int position, int value) throws IOException {
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            open.seek(position);
            open.write(value);
        }
    }

    private List<SpecificRecord> recordsOfFirst(int blocks) {
        return written.subList(0, blocks * (EVENTS_PER_BLOCK + 1));
    }

    private List<SpecificRecord> recordsAfter(int blocks) {
        return written.subList(Math.min(written.size(), blocks * (EVENTS_PER_BLOCK + 1)), written.size());
    }
}
