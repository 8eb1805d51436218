package dev.probestream.bpf.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.HeldKernelObjects;
import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.internal.PageSize;
import dev.probestream.bpf.map.BpfMap;
import dev.probestream.bpf.map.MapSpec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The reader on a real ring of the kernel, filled by a real probe on a C program. */
@KernelTest(since = "5.8")
class RingBufferTest {
    private static final int ALL = Integer.MAX_VALUE;

    @TempDir
    static Path folder;

    private static CProgram calls;

    @BeforeAll
    static void compile() throws Exception {
        calls = CProgram.compile(folder, "bpf/calls");
    }

    /** Checks that samples are whole, and in order within each thread; counts them. */
    private static final class Checker implements SampleHandler {
        private final Map<Long, Long> lastByThread = new HashMap<>();
        private long count;

        @Override
        public void sample(ByteBuffer buffer, int offset, int lengthBytes) {
            long n = buffer.getLong(offset);
            long thread = buffer.getLong(offset + 8);
            assertThat(lengthBytes).isEqualTo(TickProgram.SAMPLE_BYTES);
            assertThat(buffer.getLong(offset + 16)).as("torn sample").isEqualTo(~n);
            Long last = lastByThread.put(thread, n);
            assertThat(n).as("order within a thread").isGreaterThan(last == null ? -1 : last);
            count++;
        }
    }

    @Test
    void everyCallIsOneSampleInOrder() throws Exception {
        try (CProgram.Running process = calls.start();
                TickProgram program = new TickProgram(calls, process, 1 << 20, false);
                RingBuffer ring = RingBuffer.map(program.events())) {
            process.ask("repeat 5000");
            List<Long> numbers = new ArrayList<>();
            assertThat(ring.pendingBytes()).isEqualTo(5000L * 32);
            assertThat(ring.poll((buffer, offset, length) -> numbers.add(buffer.getLong(offset)), ALL))
                    .isEqualTo(5000);

            assertThat(numbers)
                    .containsExactlyElementsOf(LongStream.range(0, 5000).boxed().toList());
            assertThat(program.lost()).isZero();
            assertThat(ring.pendingBytes()).isZero();
        }
    }

    @Test
    void discardedSamplesAreSkipped() throws Exception {
        try (CProgram.Running process = calls.start();
                TickProgram program = new TickProgram(calls, process, 1 << 16, true);
                RingBuffer ring = RingBuffer.map(program.events())) {
            process.ask("repeat 11");
            List<Long> numbers = new ArrayList<>();
            ring.poll((buffer, offset, length) -> numbers.add(buffer.getLong(offset)), ALL);

            assertThat(numbers).containsExactly(0L, 2L, 4L, 6L, 8L, 10L);
        }
    }

    @Test
    void ringThatNobodyReadsCountsWhatItRefuses() throws Exception {
        int ringBytes = PageSize.bytes();
        try (CProgram.Running process = calls.start();
                TickProgram program = new TickProgram(calls, process, ringBytes, false);
                RingBuffer ring = RingBuffer.map(program.events())) {
            process.ask("repeat 1000");
            int fitting = ring.poll((buffer, offset, length) -> {}, ALL);

            // One byte always stays free, so the ring holds one record of 32 bytes less than its size.
            assertThat(fitting).isEqualTo(ringBytes / 32 - 1);
            assertThat(program.lost()).isEqualTo(1000 - fitting);
        }
    }

    @RepeatedTest(5)
    void producedIsDrainedPlusLostWhileTwoThreadsOutrunTheReader() throws Exception {
        int perThread = 150_000;
        try (CProgram.Running process = calls.start();
                TickProgram program = new TickProgram(calls, process, PageSize.bytes(), false);
                RingBuffer ring = RingBuffer.map(program.events())) {
            Checker checker = new Checker();
            CompletableFuture<Void> done = CompletableFuture.runAsync(() -> ask(process, "threads 2 " + perThread));
            while (!done.isDone()) {
                ring.poll(checker, 64);
            }
            done.join();
            ring.poll(checker, ALL);

            assertThat(checker.count + program.lost()).isEqualTo(2L * perThread);
            assertThat(checker.count).isPositive();
            assertThat(checker.lastByThread).hasSize(2);
        }
    }

    @Test
    void closedRingRefusesToBeRead() {
        try (BpfMap map = BpfMap.create(MapSpec.ringBuffer("events", 1 << 16))) {
            RingBuffer ring = RingBuffer.map(map);
            assertThat(ring.sizeBytes()).isEqualTo(1 << 16);
            ring.close();
            ring.close();

            assertThatThrownBy(() -> ring.poll((buffer, offset, length) -> {}, 1))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("ring buffer events was closed");
            assertThatThrownBy(ring::pendingBytes)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("ring buffer events was closed");
        }
    }

    @Test
    @SuppressWarnings("try") // closing it twice is the point
    void handlerMayNeitherCloseNorPollItsRing() throws Exception {
        try (CProgram.Running process = calls.start();
                TickProgram program = new TickProgram(calls, process, 1 << 16, false);
                RingBuffer ring = RingBuffer.map(program.events())) {
            process.ask("repeat 2");

            assertThatThrownBy(() -> ring.poll((buffer, offset, length) -> ring.close(), 1))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("ring buffer events cannot be closed by the handler of its samples");
            assertThatThrownBy(() -> ring.poll((buffer, offset, length) -> ring.poll(new Checker(), 1), 1))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("ring buffer events cannot be polled by the handler of its samples");
        }
    }

    @Test
    void ringOutlivesTheDescriptorOfItsMap() {
        BpfMap map = BpfMap.create(MapSpec.ringBuffer("events", 1 << 16));
        try (RingBuffer ring = RingBuffer.map(map)) {
            map.close();

            assertThat(ring.poll((buffer, offset, length) -> {}, ALL)).isZero();
        }
    }

    @Test
    void mapThatIsNoRingIsRefused() {
        try (BpfMap map = BpfMap.create(MapSpec.array("counts", 8, 1))) {
            assertThatThrownBy(() -> RingBuffer.map(map))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("map counts is not a ring buffer of at most 512 MiB");
        }
    }

    @Test
    void noMappingAndNoDescriptorIsLeftBehind() throws Exception {
        HeldKernelObjects before = HeldKernelObjects.held();
        try (BpfMap map = BpfMap.create(MapSpec.ringBuffer("ringleft", 1 << 16));
                RingBuffer ring = RingBuffer.map(map)) {
            assertThat(ring.pendingBytes()).isZero();
            assertThat(HeldKernelObjects.held().mappings())
                    .hasSize(before.mappings().size() + 2);
        }
        assertThat(HeldKernelObjects.held()).isEqualTo(before);
        HeldKernelObjects.awaitGone("ringleft");
    }

    private static void ask(CProgram.Running process, String line) {
        try {
            process.ask(line);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
