package dev.probestream.bpf.ring;

import static dev.probestream.bpf.ring.RingReader.BPF_RINGBUF_BUSY_BIT;
import static dev.probestream.bpf.ring.RingReader.BPF_RINGBUF_DISCARD_BIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RingReaderTest {
    private static final int ALL = Integer.MAX_VALUE;

    private final PreparedRing ring = new PreparedRing(4096, 0);
    private final RingReader reader = ring.reader();
    private final List<Sample> seen = new ArrayList<>();

    /** What a test remembers of a sample: all its bytes are the same. */
    private record Sample(int lengthBytes, int fill) {}

    private final SampleHandler remember = (buffer, offset, lengthBytes) -> {
        assertThat(offset % 8).isZero();
        int fill = lengthBytes == 0 ? 0 : buffer.get(offset) & 0xff;
        for (int i = 0; i < lengthBytes; i++) {
            assertThat(buffer.get(offset + i) & 0xff).isEqualTo(fill);
        }
        seen.add(new Sample(lengthBytes, fill));
    };

    @Test
    void emptyRingHasNothing() {
        assertThat(reader.poll(remember, ALL)).isZero();
        assertThat(reader.pendingBytes()).isZero();
    }

    @Test
    void samplesComeInOrderWithTheirLengths() {
        ring.append(5, 1);
        ring.append(16, 2);
        ring.append(0, 0);

        assertThat(reader.poll(remember, ALL)).isEqualTo(3);
        assertThat(seen).containsExactly(new Sample(5, 1), new Sample(16, 2), new Sample(0, 0));
    }

    @Test
    void discardedSampleAdvancesTheReader() {
        ring.append(8, 1, BPF_RINGBUF_DISCARD_BIT);
        ring.append(8, 2);

        assertThat(reader.poll(remember, ALL)).isEqualTo(1);
        assertThat(seen).containsExactly(new Sample(8, 2));
        assertThat(reader.pendingBytes()).isZero();
    }

    @Test
    void busySampleStopsTheReaderUntilItIsSubmitted() {
        ring.append(8, 1);
        long busy = ring.append(8, 2, BPF_RINGBUF_BUSY_BIT);
        ring.append(8, 3);

        assertThat(reader.poll(remember, ALL)).isEqualTo(1);
        assertThat(reader.poll(remember, ALL)).isZero();
        assertThat(reader.pendingBytes()).isEqualTo(32);
        ring.submit(busy, 8, 0);
        assertThat(reader.poll(remember, ALL)).isEqualTo(2);
        assertThat(seen).containsExactly(new Sample(8, 1), new Sample(8, 2), new Sample(8, 3));
    }

    @Test
    void sampleThatWrapsLiesInOnePiece() {
        ring.append(4000, 1);
        reader.poll(remember, ALL);
        ring.append(1000, 2);

        assertThat(reader.poll(remember, ALL)).isEqualTo(1);
        assertThat(seen.get(1)).isEqualTo(new Sample(1000, 2));
    }

    @Test
    void limitIsKeptAndTheRestStays() {
        for (int i = 0; i < 5; i++) {
            ring.append(8, i);
        }

        assertThat(reader.poll(remember, 2)).isEqualTo(2);
        assertThat(reader.pendingBytes()).isEqualTo(48);
        assertThat(reader.poll(remember, 0)).isZero();
        assertThat(reader.poll(remember, 9)).isEqualTo(3);
        assertThat(seen).extracting(Sample::fill).containsExactly(0, 1, 2, 3, 4);
    }

    @Test
    void roomIsGivenBackInBatchesNotPerSample() {
        List<Long> consumerPositions = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            ring.append(56, i);
        }
        reader.poll((buffer, offset, lengthBytes) -> consumerPositions.add(ring.consumerPosition()), ALL);

        // 64 records of 64 bytes; a sixteenth of the ring is 256 bytes
        assertThat(consumerPositions.stream().distinct()).hasSize(16);
        assertThat(ring.consumerPosition()).isEqualTo(4096);
    }

    @Test
    void sampleIsNeverGivenBackWhileItIsRead() {
        ring.append(2000, 1);
        reader.poll(
                (buffer, offset, lengthBytes) ->
                        assertThat(ring.consumerPosition()).isZero(),
                ALL);

        assertThat(ring.consumerPosition()).isEqualTo(2008);
    }

    @Test
    void sampleWhoseHandlerThrewCountsAsRead() {
        ring.append(8, 1);
        ring.append(8, 2);

        assertThatThrownBy(() -> reader.poll(
                        (buffer, offset, lengthBytes) -> {
                            throw new IllegalStateException("the handler's own trouble");
                        },
                        ALL))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the handler's own trouble");
        assertThat(ring.consumerPosition()).isEqualTo(16);
        assertThat(reader.poll(remember, ALL)).isEqualTo(1);
        assertThat(seen).containsExactly(new Sample(8, 2));
    }

    @Test
    void readerBeginsWhereAnEarlierOneEnded() {
        ring.append(8, 1);
        reader.poll(remember, ALL);
        ring.append(8, 2);

        assertThat(ring.reader().poll(remember, ALL)).isEqualTo(1);
        assertThat(seen).containsExactly(new Sample(8, 1), new Sample(8, 2));
    }

    /**
     * Records of any length, finished in any order, some discarded, across the place where 32 bits end: against a plain
     * queue that gives what is finished up to the first that is not.
     */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void randomTrafficIsReadAsAQueueWouldGiveIt(long seed) {
        Random random = new Random(seed);
        Traffic traffic = new Traffic(random);
        RingReader trafficReader = traffic.ring.reader();
        for (int step = 0; step < 20_000; step++) {
            if (random.nextBoolean()) {
                traffic.reserve();
            }
            if (random.nextInt(3) > 0) {
                traffic.finishOne();
            }
            if (random.nextInt(4) == 0) {
                int limit = random.nextInt(6);
                seen.clear();
                int count = trafficReader.poll(remember, limit);
                assertThat(seen).hasSize(count).containsExactlyElementsOf(traffic.takeReadable(limit));
            }
        }
        traffic.finishAll();
        seen.clear();
        trafficReader.poll(remember, ALL);
        assertThat(seen).containsExactlyElementsOf(traffic.takeReadable(ALL));
        assertThat(trafficReader.pendingBytes()).isZero();
    }

    /** What programs do to a ring, and what a reader must make of it. */
    private static final class Traffic {
        private final Random random;
        private final PreparedRing ring;
        private final List<Reserved> unread = new ArrayList<>();

        /** One record that the reader has not passed yet. */
        private static final class Reserved {
            private final long position;
            private final Sample sample;
            private final boolean isDiscarded;
            private boolean isFinished;

            Reserved(long position, Sample sample, boolean isDiscarded) {
                this.position = position;
                this.sample = sample;
                this.isDiscarded = isDiscarded;
            }
        }

        Traffic(Random random) {
            this.random = random;
            this.ring = new PreparedRing(4096, (0xffff_ffffL - random.nextInt(100_000)) & ~7L);
        }

        void reserve() {
            int lengthBytes = random.nextInt(300);
            if (ring.freeBytes() >= lengthBytes + 16) {
                int fill = lengthBytes == 0 ? 0 : random.nextInt(256);
                long position = ring.append(lengthBytes, fill, BPF_RINGBUF_BUSY_BIT);
                unread.add(new Reserved(position, new Sample(lengthBytes, fill), random.nextInt(5) == 0));
            }
        }

        void finishOne() {
            if (!unread.isEmpty()) {
                // Nearly always one of the oldest, or the ring would stand still.
                finish(unread.get(random.nextInt(Math.min(3, unread.size()))));
            }
        }

        void finishAll() {
            unread.forEach(this::finish);
        }

        /** The samples a poll must give, in order; what it passes is forgotten. */
        List<Sample> takeReadable(int limit) {
            List<Sample> readable = new ArrayList<>();
            while (readable.size() < limit && !unread.isEmpty() && unread.get(0).isFinished) {
                Reserved first = unread.remove(0);
                if (!first.isDiscarded) {
                    readable.add(first.sample);
                }
            }
            return readable;
        }

        private void finish(Reserved reserved) {
            reserved.isFinished = true;
            ring.submit(
                    reserved.position, reserved.sample.lengthBytes, reserved.isDiscarded ? BPF_RINGBUF_DISCARD_BIT : 0);
        }
    }
}
