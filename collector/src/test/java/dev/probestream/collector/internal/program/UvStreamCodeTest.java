package dev.probestream.collector.internal.program;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R4;
import static dev.probestream.bpf.asm.Register.R6;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Width;
import dev.probestream.bpf.internal.NativeMemory;
import dev.probestream.bpf.kernel.BpfObjects;
import dev.probestream.bpf.kernel.ObjectsSpec;
import dev.probestream.bpf.kernel.TestRun;
import dev.probestream.bpf.map.BpfMap;
import dev.probestream.bpf.map.MapSpec;
import dev.probestream.collector.internal.program.layout.KnownStreamLayout;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.layout.v8.AsyncCallerLayout;
import dev.probestream.collector.internal.program.layout.v8.AsyncContextLayout;
import dev.probestream.collector.internal.program.layout.v8.BaselineCodeLayout;
import dev.probestream.collector.internal.program.layout.v8.EventLoopLayout;
import dev.probestream.collector.internal.program.layout.v8.KnownThreadLayout;
import dev.probestream.collector.internal.program.layout.v8.StreamListenerLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** find_uv_stream(), run by the kernel over a Node.js and a libuv that lie in this process (BPF_PROG_TEST_RUN). */
@KernelTest(since = "5.11")
class UvStreamCodeTest {
    private static final long SEED = 20_261_130;
    private static final int MUTANTS = 3_000;

    private static final String RESULT = "result";
    private static final String PROGRAM = "find";

    private static final int TGID = 4700;
    private static final int TID = 4711;
    private static final long WHO = 0x1234_0000_5678L;
    private static final long NODE_TAG = 0x3226000;

    private static final int FD = 5;
    private static final int TCP = 12;

    // Places in the memory of the process.
    private static final int THREAD = 0x100;
    private static final int ISOLATE = 0x200;
    private static final int CONTEXT = ISOLATE + 0x10;
    private static final int ENVIRONMENT_SLOT = 0x401 + 0x10f;
    private static final int ENVIRONMENT = 0x600;
    private static final int LOOP = 0x800;
    private static final int WATCHERS = LOOP + 0x68;
    private static final int WATCHER_COUNT = LOOP + 0x70;
    private static final int WATCHER_SLOTS = 0xa00;
    private static final int STREAM = 0xb00;
    private static final int DEFAULT_LOOP = 0xd00;
    private static final int DEFAULT_SLOTS = 0xe00;
    private static final int DEFAULT_STREAM = 0xf00;
    private static final int SIZE_BYTES = 0x1100;

    // In a stream.
    private static final int STREAM_LOOP = 8;
    private static final int STREAM_TYPE = 16;
    private static final int STREAM_WATCHER = 136;
    private static final int STREAM_FD = STREAM_WATCHER + 48;

    private static BpfObjects objects;

    private NativeMemory memory;
    private long base;

    @BeforeAll
    static void load() {
        Assembler assembler = new Assembler();
        assembler.mov(R6, R1);
        assembler.load(Width.DOUBLE_WORD, R1, R6, 0).load(Width.DOUBLE_WORD, R2, R6, 8);
        assembler.load(Width.DOUBLE_WORD, R3, R6, 16).load(Width.DOUBLE_WORD, R4, R6, 24);
        assembler.callFunction("find_uv_stream", 96);
        assembler
                .loadMapValue(R1, RESULT)
                .store(Width.DOUBLE_WORD, R1, 0, R0)
                .mov(R0, 0)
                .exit();
        objects = FunctionsInC.link(new ObjectsSpec(
                        List.of(
                                MapSpec.array(RESULT, Long.BYTES, 1),
                                MapSpec.hash(MapNames.ASYNC_CONTEXTS, Integer.BYTES, AsyncContextLayout.SIZE_BYTES, 16),
                                MapSpec.array(
                                        MapNames.CONTEXT_THREADS,
                                        KnownThreadLayout.SIZE_BYTES,
                                        KnownThreadLayout.MAX_THREADS),
                                MapSpec.array(
                                        MapNames.UV_STREAMS,
                                        KnownStreamLayout.SIZE_BYTES,
                                        KnownStreamLayout.MAX_STREAMS)),
                        List.of(TestRun.spec(PROGRAM, assembler))))
                .load();
    }

    @AfterAll
    static void unload() {
        objects.close();
    }

    @BeforeEach
    void lay() {
        memory = NativeMemory.allocate(SIZE_BYTES);
        // Memory that is allocated stays where it is.
        base = memory.lend(address -> address);
        memory.putLong(THREAD - 8, base + ISOLATE);
        memory.putLong(CONTEXT, tagged(0x300));
        memory.putLong(0x300, tagged(0x340)); // its map
        memory.putLong(0x341 + 0x1f, tagged(0x380)); // the native context
        memory.putLong(0x381 + 0x2f, tagged(0x400)); // the embedder data
        memory.putLong(0x401 + 0x147, NODE_TAG);
        memory.putLong(ENVIRONMENT_SLOT, base + ENVIRONMENT);
        memory.putLong(ENVIRONMENT + 0x20, base + 0x640); // the async ids
        memory.putLong(ENVIRONMENT + 0x28, base + 0x700); // IsolateData
        memory.putLong(0x700 + 0x30, base + LOOP);
        loop(LOOP, WATCHER_SLOTS, STREAM);
        loop(DEFAULT_LOOP, DEFAULT_SLOTS, DEFAULT_STREAM);
        know(new EventLoopLayout(base + DEFAULT_LOOP, 0x28, 0x30));
        forgetThreads();
        objects.map(MapNames.UV_STREAMS)
                .update(
                        BpfMap.key((int) (WHO ^ FD) & (KnownStreamLayout.MAX_STREAMS - 1)),
                        ByteBuffer.allocate(KnownStreamLayout.SIZE_BYTES));
    }

    private void loop(int loop, int slots, int stream) {
        memory.putLong(loop + 0x68, base + slots);
        memory.putInt(loop + 0x70, FD + 1);
        memory.putLong(slots + 8 * FD, base + stream + STREAM_WATCHER);
        memory.putLong(stream + STREAM_LOOP, base + loop);
        memory.putInt(stream + STREAM_TYPE, TCP);
        memory.putInt(stream + STREAM_FD, FD);
    }

    private static void know(EventLoopLayout loop) {
        AsyncContextLayout layout = new AsyncContextLayout(
                -8,
                0,
                NODE_TAG,
                0x10,
                0x20,
                0,
                0,
                0,
                0,
                AsyncCallerLayout.NONE,
                0,
                0,
                0,
                BaselineCodeLayout.NONE,
                loop,
                StreamListenerLayout.NONE);
        objects.map(MapNames.ASYNC_CONTEXTS).update(BpfMap.key(TGID), layout.encode());
    }

    private static void forgetThreads() {
        for (int tid : List.of(TGID, TID)) {
            objects.map(MapNames.CONTEXT_THREADS)
                    .update(
                            BpfMap.key(tid & (KnownThreadLayout.MAX_THREADS - 1)),
                            ByteBuffer.allocate(KnownThreadLayout.SIZE_BYTES));
        }
    }

    private long tagged(int place) {
        return base + place + 1;
    }

    private long find(int tid, long fd, long who) {
        TestRun.run(objects.program(PROGRAM), fd, (long) TGID << 32 | tid, who, base + THREAD);
        return objects.map(RESULT)
                .lookup(BpfMap.key(0))
                .orElseThrow()
                .order(ByteOrder.nativeOrder())
                .getLong(0);
    }

    private long find() {
        return find(TID, FD, WHO);
    }

    @Test
    void streamOfADescriptorIsFound() {
        assertThat(find()).isEqualTo(base + STREAM);
        assertThat(find(TGID, FD, WHO))
                .as("the loop of the Environment comes first")
                .isEqualTo(base + STREAM);
    }

    @ParameterizedTest
    @ValueSource(ints = {7, 12, 14})
    void pipesConnectionsAndTerminalsAreStreams(int type) {
        memory.putInt(STREAM + STREAM_TYPE, type);
        assertThat(find()).isEqualTo(base + STREAM);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 8, 13, 15, 16, -1})
    void otherWatchersAreNone(int type) {
        memory.putInt(STREAM + STREAM_TYPE, type);
        assertThat(find()).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, FD + 1, FD - 1, 0, 0xffff_ffffL, 0x1_0000_0006L})
    void otherDescriptorsHaveNone(long fd) {
        assertThat(find(TID, fd, WHO)).isZero();
    }

    @Test
    void largeCountLeadsToNothing() {
        memory.putInt(WATCHER_COUNT, -1);
        assertThat(find(TID, -1, WHO)).isZero();
        assertThat(find(TID, Integer.MIN_VALUE, WHO)).isZero();
        assertThat(find(TID, 1L << 24, WHO)).isZero();
    }

    @Test
    void whatIsNotWatchedHasNone() {
        memory.putLong(WATCHER_SLOTS + 8 * FD, 0);
        assertThat(find()).isZero();
    }

    @Test
    void streamThatIsKnownIsFoundWhereItIsNotWatched() {
        assertThat(find()).isEqualTo(base + STREAM);
        memory.putLong(WATCHER_SLOTS + 8 * FD, 0);
        assertThat(find()).isEqualTo(base + STREAM);
        assertThat(find(TID, FD + 1, WHO)).as("another descriptor").isZero();
        memory.putInt(STREAM + STREAM_FD, -1);
        assertThat(find()).as("it is closed").isZero();
    }

    @Test
    void descriptorIsAnotherStreamsAfterItWasClosed() {
        assertThat(find()).isEqualTo(base + STREAM);
        memory.putInt(STREAM + STREAM_FD, -1);
        memory.putLong(DEFAULT_STREAM + STREAM_LOOP, base + LOOP);
        memory.putLong(WATCHER_SLOTS + 8 * FD, base + DEFAULT_STREAM + STREAM_WATCHER);
        assertThat(find()).isEqualTo(base + DEFAULT_STREAM);
        memory.putLong(WATCHER_SLOTS + 8 * FD, 0);
        assertThat(find()).isEqualTo(base + DEFAULT_STREAM);
    }

    @Test
    void streamOfTheLoopThatAnEarlierThreadRanIsNone() {
        assertThat(find()).isEqualTo(base + STREAM);
        memory.putLong(WATCHER_SLOTS + 8 * FD, 0).putLong(0x700 + 0x30, base + DEFAULT_LOOP);
        memory.putLong(DEFAULT_SLOTS + 8 * FD, 0);
        forgetThreads();
        assertThat(find()).isZero();
    }

    @Test
    void watcherOfAnotherDescriptorIsNone() {
        memory.putInt(STREAM + STREAM_FD, FD + 1);
        assertThat(find()).isZero();
        memory.putInt(STREAM + STREAM_FD, -1); // it is closed
        assertThat(find()).isZero();
    }

    @Test
    void streamOfAnotherLoopIsNone() {
        memory.putLong(STREAM + STREAM_LOOP, base + DEFAULT_LOOP);
        assertThat(find()).isZero();
    }

    @Test
    void unreadableMemoryHasNone() {
        memory.putLong(WATCHERS, 8);
        assertThat(find()).isZero();
        memory.putLong(WATCHERS, -8);
        assertThat(find()).isZero();
        memory.putLong(WATCHERS, base + WATCHER_SLOTS).putLong(WATCHER_SLOTS + 8 * FD, 8);
        assertThat(find()).isZero();
        memory.putLong(WATCHER_SLOTS + 8 * FD, base + STREAM + STREAM_WATCHER);
        assertThat(find()).isEqualTo(base + STREAM);
    }

    @Test
    void threadIsLookedForOnce() {
        assertThat(find()).isEqualTo(base + STREAM);
        memory.putLong(CONTEXT, 0);

        assertThat(find()).as("libuv runs without JavaScript").isEqualTo(base + STREAM);
        assertThat(find(TID, FD, WHO + 1)).as("a later thread with this tid").isZero();
        memory.putLong(CONTEXT, tagged(0x300));
        assertThat(find(TID, FD, WHO + 1)).isEqualTo(base + STREAM);
    }

    @Test
    void mainThreadNeedsNoContext() {
        memory.putLong(CONTEXT, 0);

        assertThat(find(TGID, FD, WHO)).isEqualTo(base + DEFAULT_STREAM);
        assertThat(find()).as("a worker").isZero();
        know(EventLoopLayout.NONE);
        forgetThreads();
        assertThat(find(TGID, FD, WHO)).isZero();
    }

    @Test
    void loopIsFoundOnceThereIsAContext() {
        memory.putLong(CONTEXT, 0);
        assertThat(find()).isZero();
        memory.putLong(CONTEXT, tagged(0x300));
        assertThat(find()).isEqualTo(base + STREAM);
    }

    @Test
    void withoutAnIsolateOrAnEnvironmentThereIsNone() {
        memory.putLong(0x401 + 0x147, NODE_TAG + 1);
        assertThat(find()).isZero();
        memory.putLong(0x401 + 0x147, NODE_TAG);
        memory.putLong(THREAD - 8, 0);
        assertThat(find()).isZero();
        assertThat(find(TGID, FD, WHO)).isZero();
        objects.map(MapNames.ASYNC_CONTEXTS).delete(BpfMap.key(TGID));
        assertThat(find()).isZero();
    }

    @Test
    void damagedMemoryIsReadWithoutHarm() {
        Random random = new Random(SEED);
        for (int i = 0; i < MUTANTS; i++) {
            lay();
            if (random.nextBoolean()) {
                find(); // it is known
            }
            for (int change = 1 + random.nextInt(3); change > 0; change--) {
                memory.putLong(
                        8 * random.nextInt(SIZE_BYTES / 8),
                        switch (random.nextInt(4)) {
                            case 0 -> random.nextLong();
                            case 1 -> tagged(8 * random.nextInt(SIZE_BYTES / 8));
                            case 2 -> base + 8L * random.nextInt(SIZE_BYTES / 8);
                            default -> 0;
                        });
            }
            long found = find(random.nextBoolean() ? TID : TGID, FD, WHO);
            assertThat(found - base).as("mutant " + i + " of seed " + SEED).isIn(-base, (long) STREAM, (long)
                    DEFAULT_STREAM);
        }
    }
}
