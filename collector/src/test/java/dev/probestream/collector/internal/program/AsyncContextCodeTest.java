package dev.probestream.collector.internal.program;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R4;
import static dev.probestream.bpf.asm.Register.R5;
import static dev.probestream.bpf.asm.Register.R6;
import static dev.probestream.collector.probe.ArgumentSource.ContextValue.ASYNC_COUNTER;
import static dev.probestream.collector.probe.ArgumentSource.ContextValue.ASYNC_ID;
import static dev.probestream.collector.probe.ArgumentSource.ContextValue.REQUEST;
import static dev.probestream.collector.probe.ArgumentSource.ContextValue.SERVED_STREAM;
import static dev.probestream.collector.probe.ArgumentSource.ContextValue.SPAN_ID;
import static dev.probestream.collector.probe.ArgumentSource.ContextValue.TRACE_ID;
import static dev.probestream.collector.probe.ArgumentSource.ContextValue.TRIGGER_ID;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.asm.Width;
import dev.probestream.bpf.internal.NativeMemory;
import dev.probestream.bpf.kernel.AttachType;
import dev.probestream.bpf.kernel.BpfObjects;
import dev.probestream.bpf.kernel.ObjectsSpec;
import dev.probestream.bpf.kernel.ProgramSpec;
import dev.probestream.bpf.kernel.ProgramType;
import dev.probestream.bpf.kernel.TestRun;
import dev.probestream.bpf.map.BpfMap;
import dev.probestream.bpf.map.MapSpec;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.layout.v8.AsyncCallerLayout;
import dev.probestream.collector.internal.program.layout.v8.AsyncContextLayout;
import dev.probestream.collector.internal.program.layout.v8.BaselineCodeLayout;
import dev.probestream.collector.internal.program.layout.v8.ContextWords;
import dev.probestream.collector.internal.program.layout.v8.EventLoopLayout;
import dev.probestream.collector.internal.program.layout.v8.KnownThreadLayout;
import dev.probestream.collector.internal.program.layout.v8.StreamListenerLayout;
import dev.probestream.collector.probe.ArgumentSource.ContextValue;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** read_async_context(), run by the kernel over a heap of V8 that lies in this process (BPF_PROG_TEST_RUN). */
@KernelTest(since = "5.11")
class AsyncContextCodeTest {
    private static final long SEED = 20_261_125;
    private static final int MUTANTS = 3_000;

    private static final String RESULT = "result";
    private static final Set<ContextValue> ALL_BUT_STREAM = EnumSet.complementOf(EnumSet.of(SERVED_STREAM));
    private static final List<Set<ContextValue>> WANTED = List.of(
            ALL_BUT_STREAM,
            EnumSet.of(REQUEST),
            EnumSet.of(SERVED_STREAM),
            EnumSet.of(ASYNC_ID, SERVED_STREAM),
            EnumSet.of(SPAN_ID));

    /** In the place of a stream. */
    private static final long NOT_SEARCHED = 2;

    private static final int TID = 4711;
    private static final int TGID = 4700;
    private static final long WHO = 0x1234_0000_5678L;

    // V8's layout here.
    private static final int INSTANCE_TYPE = 12;
    private static final int ODDBALL_TYPE = 131;
    private static final long NODE_TAG = 0x3226000;
    private static final AsyncContextLayout LAYOUT = new AsyncContextLayout(
            -8,
            0,
            NODE_TAG,
            0x10,
            0x20,
            0x18,
            ODDBALL_TYPE,
            0,
            INSTANCE_TYPE,
            new AsyncCallerLayout(0, 0, Heap.MICROTASK, 0, 0, 0, 0, 0, Map.of(), Map.of()),
            0,
            0,
            0,
            BaselineCodeLayout.NONE,
            EventLoopLayout.NONE,
            StreamListenerLayout.NONE);

    private static BpfObjects objects;

    /** A block of memory with V8's objects; places are offsets in it. */
    private static final class Heap {
        static final int THREAD = 0x100;
        static final int ISOLATE = 0x200;
        static final int STORES = 0x800;
        static final int SPAN_STRING = 0xe40;
        static final int TRACE_STRING = 0xe00;
        static final int PARENT_STRING = 0xec0;
        /** In the isolate. */
        static final int MICROTASK = 0x28;

        static final int TASK = 0x1000;
        static final int SIZE_BYTES = 0x1400;

        final NativeMemory memory = NativeMemory.allocate(SIZE_BYTES);
        final long base;

        Heap() {
            // Memory that is allocated stays where it is.
            base = memory.lend(address -> address);
            isolate();
            stores();
            trace();
            memory.putLong(ISOLATE + MICROTASK, tagged(TASK));
        }

        private void isolate() {
            memory.putLong(THREAD - 8, base + ISOLATE);
            memory.putLong(ISOLATE + 0x10, tagged(0x300)); // the context
            memory.putLong(0x300, tagged(0x340)); // its map
            memory.putLong(0x341 + 0x1f, tagged(0x380)); // the native context
            memory.putLong(0x381 + 0x2f, tagged(0x400)); // the embedder data
            memory.putLong(0x401 + 0x147, NODE_TAG);
            memory.putLong(0x401 + 0x10f, base + 0x600); // the Environment
            memory.putLong(0x600 + 0x20, base + 0x700);
            double[] ids = {7, 3, 1e9 + 1};
            for (int i = 0; i < ids.length; i++) {
                memory.putLong(0x700 + 8 * i, Double.doubleToLongBits(ids[i]));
            }
        }

        /** A map, and its table right behind it, of two entries: a number of a request, a context of OpenTelemetry. */
        private void stores() {
            memory.putLong(ISOLATE + 0x18, tagged(STORES));
            memory.putLong(STORES + 24, tagged(STORES + 32));
            table(STORES + 32, 2, 2);
            memory.putLong(STORES + 32 + 64, 0x5b_000102L << 32);
            memory.putLong(STORES + 32 + 88, tagged(0xa00));
        }

        private void trace() {
            memory.putLong(0xa00 + 24, tagged(0xb00)); // a map whose table is elsewhere
            for (int closure = 0; closure < 3; closure++) {
                memory.putLong(0xa20 + 8 * closure, tagged(0xa60 + 0x10 * closure));
                memory.putLong(0xa60 + 0x10 * closure, tagged(0xac0));
            }
            memory.putLong(0xb00 + 24, tagged(0xc00));
            table(0xc00, 4, 1);
            memory.putLong(0xc00 + 40 + 32 + 8, tagged(0xd00)); // the span
            memory.putLong(0xd00 + 24, tagged(0xd40)); // its SpanContext
            memory.putLong(0xd40 + 24, tagged(TRACE_STRING));
            memory.putLong(0xd40 + 32, tagged(SPAN_STRING));
            string(TRACE_STRING, 0xf00, 8, 32);
            string(SPAN_STRING, 0xf40, 8 + 3, 16);
            memory.putLong(SPAN_STRING + 16, tagged(PARENT_STRING));
            memory.putLong(SPAN_STRING + 24, 5L << 32);
            string(PARENT_STRING, 0xf00, 8, 40);
        }

        void table(int place, int buckets, int entries) {
            memory.putLong(place + 8, (3L + 7L * buckets) << 32);
            memory.putLong(place + 16, (long) entries << 32);
            memory.putLong(place + 24, 0);
            memory.putLong(place + 32, (long) buckets << 32);
        }

        void string(int place, int map, int type, int length) {
            memory.putLong(place, tagged(map));
            memory.putLong(place + 8, (long) length << 32);
            memory.putInt(map + INSTANCE_TYPE, type);
        }

        long tagged(int place) {
            return base + place + 1;
        }
    }

    private Heap heap;

    @BeforeAll
    static void load() {
        List<ProgramSpec> programs = new ArrayList<>();
        for (int i = 0; i < WANTED.size(); i++) {
            programs.add(new ProgramSpec(
                    "wanted" + i, ProgramType.RAW_TRACEPOINT, AttachType.NONE, 0, 0, program(WANTED.get(i))));
        }
        objects = FunctionsInC.link(new ObjectsSpec(
                        List.of(
                                MapSpec.array(RESULT, ContextWords.SIZE_BYTES, 1),
                                MapSpec.hash(MapNames.ASYNC_CONTEXTS, Integer.BYTES, AsyncContextLayout.SIZE_BYTES, 16),
                                MapSpec.array(
                                        MapNames.CONTEXT_THREADS,
                                        KnownThreadLayout.SIZE_BYTES,
                                        KnownThreadLayout.MAX_THREADS)),
                        programs))
                .load();
    }

    /** Its context is the thread pointer, who the thread is and its ids. */
    private static List<Instruction> program(Set<ContextValue> wanted) {
        Assembler assembler = new Assembler();
        assembler.mov(R6, R1).loadMapValue(R1, RESULT);
        assembler.load(Width.DOUBLE_WORD, R5, R6, 0);
        assembler.load(Width.DOUBLE_WORD, R4, R6, 8);
        assembler.load(Width.DOUBLE_WORD, R2, R6, 16);
        assembler.mov(R3, ContextWords.wanted(wanted)).callFunction("read_async_context", 192);
        return assembler.mov(R0, 0).exit().assemble();
    }

    @AfterAll
    static void unload() {
        objects.close();
    }

    @BeforeEach
    void isUnknown() {
        objects.map(MapNames.ASYNC_CONTEXTS).update(BpfMap.key(TGID), LAYOUT.encode());
        objects.map(MapNames.CONTEXT_THREADS)
                .update(
                        BpfMap.key(TID & (KnownThreadLayout.MAX_THREADS - 1)),
                        ByteBuffer.allocate(KnownThreadLayout.SIZE_BYTES));
        heap = new Heap();
    }

    private Map<ContextValue, Long> read(Set<ContextValue> wanted, long who) {
        objects.map(RESULT).update(BpfMap.key(0), ByteBuffer.allocate(ContextWords.SIZE_BYTES));
        long ids = (long) TGID << 32 | TID;
        TestRun.run(objects.program("wanted" + WANTED.indexOf(wanted)), heap.base + Heap.THREAD, who, ids);
        ByteBuffer words =
                objects.map(RESULT).lookup(BpfMap.key(0)).orElseThrow().order(ByteOrder.nativeOrder());
        Map<ContextValue, Long> values = new EnumMap<>(ContextValue.class);
        for (ContextValue value : ContextValue.values()) {
            long word = words.getLong(ContextWords.offset(value));
            if (word != 0) {
                values.put(value, word);
            }
        }
        return values;
    }

    private Map<ContextValue, Long> expected() {
        Map<ContextValue, Long> values = new EnumMap<>(ContextValue.class);
        values.put(ASYNC_ID, 7L);
        values.put(TRIGGER_ID, 3L);
        values.put(ASYNC_COUNTER, 1_000_000_001L);
        values.put(REQUEST, 0x102L);
        values.put(TRACE_ID, heap.base + Heap.TRACE_STRING + 16);
        values.put(SPAN_ID, heap.base + Heap.PARENT_STRING + 16 + 5);
        return values;
    }

    @Test
    void everyValueIsRead() {
        assertThat(read(ALL_BUT_STREAM, WHO)).isEqualTo(expected());
        assertThat(read(EnumSet.of(REQUEST), WHO)).isEqualTo(Map.of(REQUEST, 0x102L));
        assertThat(read(EnumSet.of(SPAN_ID), WHO))
                .isEqualTo(Map.of(SPAN_ID, expected().get(SPAN_ID)));
    }

    @Test
    void streamOfAMicrotaskIsToBeSearched() {
        assertThat(read(EnumSet.of(SERVED_STREAM), WHO)).isEqualTo(Map.of(SERVED_STREAM, NOT_SEARCHED));
        assertThat(read(EnumSet.of(ASYNC_ID, SERVED_STREAM), WHO))
                .as("a callback")
                .isEqualTo(Map.of(ASYNC_ID, 7L));
        heap.memory.putLong(Heap.ISOLATE + Heap.MICROTASK, 0);
        assertThat(read(EnumSet.of(SERVED_STREAM), WHO)).isEmpty();
    }

    @Test
    void threadIsLookedForOnceAndAgainWhenItIsAnother() {
        read(ALL_BUT_STREAM, WHO);
        heap.memory.putLong(Heap.THREAD - 8, 0);

        assertThat(read(ALL_BUT_STREAM, WHO)).isEqualTo(expected());
        assertThat(read(ALL_BUT_STREAM, WHO + 1)).isEmpty();
        assertThat(read(ALL_BUT_STREAM, WHO))
                .as("the entry is still this thread's")
                .isEqualTo(expected());
        heap.memory.putLong(Heap.THREAD - 8, heap.base + Heap.ISOLATE);
        assertThat(read(ALL_BUT_STREAM, WHO + 1)).isEqualTo(expected());
        heap.memory.putLong(Heap.THREAD - 8, 0);
        assertThat(read(ALL_BUT_STREAM, WHO))
                .as("the entry is another thread's")
                .isEmpty();
    }

    @Test
    void withoutAnEnvironmentThereAreNoIdsButStores() {
        heap.memory.putLong(0x401 + 0x147, NODE_TAG + 1);

        Map<ContextValue, Long> values = expected();
        values.keySet().removeAll(EnumSet.of(ASYNC_ID, TRIGGER_ID, ASYNC_COUNTER));
        assertThat(read(ALL_BUT_STREAM, WHO)).isEqualTo(values);
        heap.memory.putLong(0x401 + 0x147, NODE_TAG);
        assertThat(read(ALL_BUT_STREAM, WHO)).isEqualTo(expected());
    }

    @Test
    void undefinedIsRememberedAsNoStore() {
        heap.memory.putLong(Heap.ISOLATE + 0x18, heap.tagged(0x1300));
        heap.memory.putLong(0x1300, heap.tagged(0x1340));
        heap.memory.putInt(0x1340 + INSTANCE_TYPE, ODDBALL_TYPE);

        assertThat(read(EnumSet.of(REQUEST), WHO)).isEmpty();
        // Now it would be a map, were it looked at.
        heap.memory.putLong(0x1300 + 24, heap.tagged(Heap.STORES + 32));
        assertThat(read(EnumSet.of(REQUEST), WHO)).isEmpty();
        heap.memory.putLong(Heap.ISOLATE + 0x18, heap.tagged(Heap.STORES));
        assertThat(read(EnumSet.of(REQUEST), WHO)).isEqualTo(Map.of(REQUEST, 0x102L));
    }

    @Test
    void stringsOfOtherKindsAreNoIds() {
        heap.memory.putLong(0xd40 + 32, heap.tagged(Heap.TRACE_STRING)); // 32 characters instead of 16
        assertThat(read(EnumSet.of(SPAN_ID), WHO)).isEmpty();
        heap.memory.putLong(0xd40 + 32, heap.tagged(Heap.SPAN_STRING));
        heap.memory.putInt(0xf40 + INSTANCE_TYPE, 8 + 5); // thin: the parent stands for it
        assertThat(read(EnumSet.of(SPAN_ID), WHO)).isEqualTo(Map.of(SPAN_ID, heap.base + Heap.PARENT_STRING + 16));
        heap.memory.putInt(0xf40 + INSTANCE_TYPE, 8 + 1); // a concatenation
        assertThat(read(EnumSet.of(SPAN_ID), WHO)).isEmpty();
    }

    @Test
    void damagedHeapIsReadWithoutHarm() {
        Random random = new Random(SEED);
        for (int i = 0; i < MUTANTS; i++) {
            isUnknown();
            for (int change = 1 + random.nextInt(3); change > 0; change--) {
                int place = 8 * random.nextInt(Heap.SIZE_BYTES / 8);
                heap.memory.putLong(
                        place,
                        switch (random.nextInt(4)) {
                            case 0 -> random.nextLong();
                            case 1 -> heap.tagged(8 * random.nextInt(Heap.SIZE_BYTES / 8));
                            case 2 -> (long) random.nextInt(64) << 32;
                            default -> 0;
                        });
            }
            Map<ContextValue, Long> values = read(ALL_BUT_STREAM, WHO);
            assertThat(values.containsKey(TRACE_ID))
                    .as("mutant " + i + " of seed " + SEED)
                    .isEqualTo(values.containsKey(SPAN_ID));
            read(EnumSet.of(SERVED_STREAM), WHO);
        }
    }
}
