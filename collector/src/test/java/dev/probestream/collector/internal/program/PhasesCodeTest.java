package dev.probestream.collector.internal.program;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R6;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Width;
import dev.probestream.bpf.kernel.BpfObjects;
import dev.probestream.bpf.kernel.ObjectsSpec;
import dev.probestream.bpf.kernel.ProgramSpec;
import dev.probestream.bpf.kernel.TestRun;
import dev.probestream.bpf.map.BpfMap;
import dev.probestream.bpf.map.MapSpec;
import dev.probestream.bpf.ring.RingBuffer;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.LossIndex;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.layout.PhasesLayout;
import dev.probestream.collector.internal.program.layout.RecordType;
import dev.probestream.schema.record.LossReason;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The functions of phases.bpf.c, run by the kernel (BPF_PROG_TEST_RUN), beside a plain stack of spans. */
@KernelTest(since = "5.10")
class PhasesCodeTest {
    private static final int TID = 4711;
    private static final int TGID = 4700;
    private static final int MAX_PROBE_ID = 7;
    private static final int MAX_THREADS = 2;
    private static final int RING_BYTES = 1 << 16;
    private static final long TOP = 0x7fff_ffff_0000L;

    private BpfObjects objects;
    private RingBuffer ring;
    private long now;

    /** What the test expects of an open span. */
    private record Open(long stackPointer, int probeId, long beginNs) {}

    /** What of a sample differs between the tests. */
    private record Sent(RecordType type, int probeId, long beginNs, long durationNs) {}

    @BeforeEach
    void load() {
        List<MapSpec> maps = List.of(
                MapSpec.ringBuffer(MapNames.EVENTS, RING_BYTES),
                MapSpec.perCpuArray(MapNames.LOSSES, Long.BYTES, LossIndex.count(MAX_PROBE_ID)),
                MapSpec.array(MapNames.ZERO, PhasesLayout.SIZE_BYTES, 1),
                MapSpec.hash(MapNames.PHASES, Integer.BYTES, PhasesLayout.SIZE_BYTES, MAX_THREADS));
        objects = FunctionsInC.link(
                        new ObjectsSpec(maps, List.of(entering("begin_phase"), entering("pass_phases"), leaving())))
                .load();
        ring = RingBuffer.map(objects.map(MapNames.EVENTS));
    }

    @AfterEach
    void unload() {
        ring.close();
        objects.close();
    }

    /** The context is a sample, and a stack pointer. */
    private static ProgramSpec entering(String function) {
        Assembler assembler = new Assembler();
        int sample = assembler.stackSlot(PhasesLayout.SAMPLE_SIZE_BYTES);
        assembler.mov(R6, R1);
        for (int i = 0; i < PhasesLayout.SAMPLE_SIZE_BYTES; i += Long.BYTES) {
            assembler.load(Width.DOUBLE_WORD, R0, R6, i).store(Width.DOUBLE_WORD, R10, sample + i, R0);
        }
        assembler.mov(R1, R10).add(R1, sample);
        assembler.load(Width.DOUBLE_WORD, R2, R6, PhasesLayout.SAMPLE_SIZE_BYTES);
        return program(function, assembler.callFunction(function, 64).exit());
    }

    /** The context is a tid. */
    private static ProgramSpec leaving() {
        Assembler assembler = new Assembler().load(Width.DOUBLE_WORD, R1, R1, 0);
        return program(
                "leave_phases", assembler.callFunction("leave_phases", 64).exit());
    }

    private static ProgramSpec program(String name, Assembler assembler) {
        return TestRun.spec(name, assembler);
    }

    private int enter(String function, int tid, int probeId, long stackPointer) {
        ByteBuffer context = ByteBuffer.allocate(PhasesLayout.SAMPLE_SIZE_BYTES + Long.BYTES)
                .order(ByteOrder.nativeOrder())
                .putLong(EventLayout.TIMESTAMP_OFFSET, now)
                .putInt(EventLayout.TID_OFFSET, tid)
                .putInt(EventLayout.TGID_OFFSET, TGID)
                .putShort(EventLayout.RECORD_TYPE_OFFSET, (short) RecordType.EVENT.code())
                .putInt(EventLayout.PROBE_ID_OFFSET, probeId)
                .putLong(EventLayout.DURATION_OFFSET, -1)
                .putLong(PhasesLayout.SAMPLE_SIZE_BYTES, stackPointer);
        for (int i = 0; i < PhasesLayout.MAX_NUMBERS; i++) {
            context.putLong(EventLayout.HEADER_SIZE_BYTES + i * Long.BYTES, argument(probeId, i));
        }
        long[] arguments = new long[context.capacity() / Long.BYTES];
        context.asLongBuffer().get(arguments);
        return TestRun.run(objects.program(function), arguments);
    }

    private static long argument(int probeId, int index) {
        return probeId * 1_000_000L + index;
    }

    private int begin(int probeId, long stackPointer) {
        return enter("begin_phase", TID, probeId, stackPointer);
    }

    private void leave(int tid) {
        TestRun.run(objects.program("leave_phases"), tid);
    }

    /** What was sent since it was asked last. */
    private List<Sent> sent() {
        List<Sent> sent = new ArrayList<>();
        ring.poll(
                (sample, at, length) -> {
                    assertThat(length).isEqualTo(PhasesLayout.SAMPLE_SIZE_BYTES);
                    int probeId = sample.getInt(at + EventLayout.PROBE_ID_OFFSET);
                    assertThat(sample.getInt(at + EventLayout.TGID_OFFSET)).isEqualTo(TGID);
                    for (int i = 0; i < PhasesLayout.MAX_NUMBERS; i++) {
                        assertThat(sample.getLong(at + EventLayout.HEADER_SIZE_BYTES + i * Long.BYTES))
                                .isEqualTo(argument(probeId, i));
                    }
                    sent.add(new Sent(
                            RecordType.ofCode(sample.getShort(at + EventLayout.RECORD_TYPE_OFFSET)),
                            probeId,
                            sample.getLong(at + EventLayout.TIMESTAMP_OFFSET),
                            sample.getLong(at + EventLayout.DURATION_OFFSET)));
                },
                Integer.MAX_VALUE);
        return sent;
    }

    private long lost(int probeId, LossReason reason) {
        return objects.map(MapNames.LOSSES).sumOfLongs(LossIndex.of(probeId, reason));
    }

    @Test
    void spanLastsUntilTheNextOfItsFrameBegins() {
        now = 100;
        assertThat(begin(1, TOP)).isZero();
        now = 110;
        assertThat(begin(2, TOP - 64)).isZero();
        assertThat(sent()).as("a function further up the stack goes on").isEmpty();
        now = 125;
        assertThat(begin(2, TOP - 64)).isZero();
        assertThat(sent()).containsExactly(new Sent(RecordType.EVENT, 2, 110, 15));
        now = 150;
        assertThat(begin(3, TOP)).isZero();
        assertThat(sent())
                .containsExactly(new Sent(RecordType.EVENT, 2, 125, 25), new Sent(RecordType.EVENT, 1, 100, 50));
    }

    @Test
    void eventWithoutASpanEndsSpansAndFollowsThem() {
        now = 100;
        begin(1, TOP);
        begin(2, TOP - 64);
        now = 130;
        assertThat(enter("pass_phases", TID, 5, TOP - 64)).isZero();

        assertThat(sent())
                .containsExactly(new Sent(RecordType.EVENT, 2, 100, 30), new Sent(RecordType.EVENT, 5, 130, -1));
        now = 140;
        assertThat(enter("pass_phases", TID + 1, 5, TOP)).isZero();
        assertThat(sent()).as("another thread").containsExactly(new Sent(RecordType.EVENT, 5, 140, -1));
    }

    @Test
    void threadThatEndsLeavesItsSpansOpen() {
        now = 100;
        begin(1, TOP);
        begin(2, TOP - 64);
        leave(TID + 1);
        assertThat(sent()).isEmpty();
        leave(TID);

        assertThat(sent())
                .containsExactly(
                        new Sent(RecordType.OPEN_SPAN, 2, 100, -1), new Sent(RecordType.OPEN_SPAN, 1, 100, -1));
        leave(TID);
        assertThat(sent()).isEmpty();
        assertThat(objects.map(MapNames.PHASES).firstKey()).isEmpty();
    }

    @Test
    void spansBeyondTheRoomAreLost() {
        for (int i = 0; i < PhasesLayout.MAX_DEPTH; i++) {
            assertThat(begin(1, TOP - i)).isZero();
        }
        assertThat(begin(2, TOP - PhasesLayout.MAX_DEPTH)).isEqualTo(1);
        assertThat(sent()).isEmpty();
        assertThat(begin(2, TOP - PhasesLayout.MAX_DEPTH + 1)).isZero();
        assertThat(sent()).hasSize(1);
    }

    @Test
    void threadsBeyondTheRoomAreLost() {
        for (int i = 0; i < MAX_THREADS; i++) {
            assertThat(enter("begin_phase", TID + i, 1, TOP)).isZero();
        }
        assertThat(enter("begin_phase", TID + MAX_THREADS, 1, TOP)).isEqualTo(1);
        leave(TID);
        assertThat(enter("begin_phase", TID + MAX_THREADS, 1, TOP)).isZero();
    }

    @Test
    void spansThatTheRingHasNoRoomForAreCounted() {
        int hits = RING_BYTES / PhasesLayout.SAMPLE_SIZE_BYTES;
        for (int i = 0; i <= hits; i++) {
            assertThat(begin(3, TOP)).isZero();
        }
        int delivered = sent().size();

        assertThat(delivered).isBetween(hits / 2, hits - 1);
        assertThat(lost(3, LossReason.RING_FULL)).isEqualTo(hits - delivered);
        assertThat(begin(3, TOP)).isZero();
        assertThat(sent()).as("with room again").hasSize(1);
        for (int i = 0; i <= hits; i++) {
            enter("pass_phases", TID + 1, 4, TOP);
        }
        assertThat(enter("pass_phases", TID + 1, 4, TOP)).isEqualTo(1);
    }

    @Test
    void anyOrderOfStackPointersIsThatOfAStack() {
        Random random = new Random(7);
        Deque<Open> open = new ArrayDeque<>();
        for (int i = 0; i < 5_000; i++) {
            now += random.nextInt(1, 100);
            int probeId = random.nextInt(1, MAX_PROBE_ID + 1);
            long stackPointer = random.nextInt(50) == 0 ? random.nextLong() : TOP - 16L * random.nextInt(12);
            List<Sent> expected = new ArrayList<>();
            while (!open.isEmpty() && Long.compareUnsigned(open.peek().stackPointer, stackPointer) <= 0) {
                Open ended = open.pop();
                expected.add(new Sent(RecordType.EVENT, ended.probeId, ended.beginNs, now - ended.beginNs));
            }
            boolean isLost = open.size() == PhasesLayout.MAX_DEPTH;

            assertThat(begin(probeId, stackPointer)).isEqualTo(isLost ? 1 : 0);
            if (!isLost) {
                open.push(new Open(stackPointer, probeId, now));
            }
            assertThat(sent()).isEqualTo(expected);
        }
        assertThat(depth()).isEqualTo(open.size());
    }

    private int depth() {
        BpfMap phases = objects.map(MapNames.PHASES);
        ByteBuffer value = phases.lookup(BpfMap.key(TID)).orElseThrow();
        return value.order(ByteOrder.nativeOrder()).getInt(PhasesLayout.DEPTH_OFFSET);
    }
}
