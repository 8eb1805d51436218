package dev.probestream.collector.internal.program;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R4;
import static dev.probestream.bpf.asm.Register.R5;
import static dev.probestream.bpf.asm.Register.R6;
import static dev.probestream.bpf.asm.Register.R7;
import static dev.probestream.bpf.asm.Register.R8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Width;
import dev.probestream.bpf.btf.BtfFile;
import dev.probestream.bpf.kernel.BpfObjects;
import dev.probestream.bpf.kernel.ObjectsSpec;
import dev.probestream.bpf.kernel.TestRun;
import dev.probestream.bpf.machine.ClockReading;
import dev.probestream.bpf.map.MapSpec;
import dev.probestream.bpf.ring.RingBuffer;
import dev.probestream.collector.internal.program.code.SchedPrograms;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.LossIndex;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.layout.RecordType;
import dev.probestream.collector.internal.program.layout.SwitchLayout;
import dev.probestream.schema.record.LossReason;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The functions of sched_events.bpf.c, run by the kernel (BPF_PROG_TEST_RUN) with tasks of the test. */
@KernelTest(since = "5.10")
class SchedEventsCodeTest {
    private static final int PROBE = 3;
    private static final int STACK_BYTES = 32;
    private static final int RING_BYTES = 4096;
    private static final int STACKS_BYTES = 24;
    private static final long FIRST = TestSamples.ids(11, 10);
    private static final long SECOND = TestSamples.ids(22, 20);
    private static final long UNREADABLE = 8;
    private static final int PREVIOUS = 1;
    private static final int NEXT = 2;

    // linux/sched.h
    private static final long TASK_DEAD = 0x80;
    private static final long INTERRUPTIBLE = 1;

    private static BtfFile types;

    private BpfObjects objects;
    private RingBuffer ring;
    private FakeTasks tasks;

    @BeforeAll
    static void readTypes() throws Exception {
        types = BtfFile.ofKernel();
    }

    @BeforeEach
    void load() throws Exception {
        List<MapSpec> maps = Stream.concat(
                        Stream.of(
                                MapSpec.perCpuArray(MapNames.HITS, Long.BYTES, PROBE + 1),
                                MapSpec.perCpuArray(MapNames.LOSSES, Long.BYTES, LossIndex.count(PROBE)),
                                MapSpec.ringBuffer(MapNames.EVENTS, RING_BYTES)),
                        FakeTasks.maps().stream())
                .toList();
        objects = FunctionsInC.link(new ObjectsSpec(
                        maps,
                        List.of(
                                TestRun.spec("switch", recordSwitch(1)),
                                TestRun.spec("older_switch", recordSwitch(0)),
                                TestRun.spec("waking", recordWaking()),
                                FakeTasks.program())))
                .load();
        ring = RingBuffer.map(objects.map(MapNames.EVENTS));
        tasks = new FakeTasks(objects, types);
        tasks.put(PREVIOUS, "task_struct.prio", 100);
        tasks.put(PREVIOUS, "task_struct.exit_state", 0x20);
        tasks.put(NEXT, "task_struct.prio", -1);
        tasks.name(PREVIOUS, "0123456789abcde");
        tasks.name(NEXT, "worker");
    }

    @AfterEach
    void unload() {
        ring.close();
        objects.close();
    }

    /** The context is that of sched_switch, then the ids of the threads. The result is whether the one that leaves waits. */
    private static Assembler recordSwitch(int passesState) {
        Assembler assembler = new Assembler();
        Label full = assembler.newLabel();
        int threads = assembler.stackSlot(3 * Long.BYTES);
        copy(assembler, 32, threads);
        copy(assembler, 40, threads + Long.BYTES);
        assembler.mov(R2, R10).add(R2, threads).mov(R3, PROBE);
        assembler.mov(R4, SwitchLayout.STACKS_OFFSET + STACKS_BYTES).mov(R5, passesState);
        assembler.callFunction("record_switch", STACK_BYTES);
        assembler.jumpIf(Condition.EQUAL, R0, 0, full);
        assembler.load(Width.DOUBLE_WORD, R7, R10, threads + 2 * Long.BYTES);
        assembler.mov(R1, R7).callFunction("leaves_to_wait", STACK_BYTES).mov(R8, R0);
        assembler.mov(R1, R7).mov(R2, 0).call(Helper.RINGBUF_SUBMIT).mov(R0, R8);
        return assembler.bind(full).exit();
    }

    /** The context is the task, and the ids of the thread that wakes it and its own. */
    private static Assembler recordWaking() {
        Assembler assembler = new Assembler().mov(R6, R1);
        int waker = assembler.stackSlot(Long.BYTES);
        int woken = assembler.stackSlot(Long.BYTES);
        copy(assembler, 8, waker);
        copy(assembler, 16, woken);
        assembler.mov(R1, R10).add(R1, waker).mov(R2, R10).add(R2, woken);
        assembler.load(Width.DOUBLE_WORD, R3, R6, 0).mov(R4, PROBE);
        return assembler.callFunction("record_waking", STACK_BYTES).exit();
    }

    /** Copies 8 bytes of the context at R1 to the stack. */
    private static void copy(Assembler assembler, int contextOffset, int slot) {
        assembler.load(Width.DOUBLE_WORD, R2, R1, contextOffset).store(Width.DOUBLE_WORD, R10, slot, R2);
    }

    private boolean runSwitch(long isPreempted, long state) {
        return TestRun.run(
                        objects.program("switch"),
                        isPreempted,
                        tasks.address(PREVIOUS),
                        tasks.address(NEXT),
                        state,
                        FIRST,
                        SECOND)
                == 1;
    }

    private ByteBuffer onlySample() {
        List<ByteBuffer> samples = TestSamples.read(ring);
        assertThat(samples).hasSize(1);
        return samples.get(0);
    }

    private long hits() {
        return objects.map(MapNames.HITS).sumOfLongs(PROBE);
    }

    private long lost() {
        return objects.map(MapNames.LOSSES).sumOfLongs(LossIndex.of(PROBE, LossReason.RING_FULL));
    }

    private static String text(ByteBuffer sample, int offset) {
        byte[] bytes = new byte[SwitchLayout.COMM_SIZE_BYTES];
        sample.get(offset, bytes);
        return new String(bytes, StandardCharsets.ISO_8859_1).replaceAll("\0.*", "");
    }

    @Test
    void switchHasBothThreads() {
        long beforeNs = ClockReading.monotonicNowNs();
        assertThat(runSwitch(0, INTERRUPTIBLE)).isTrue();
        long afterNs = ClockReading.monotonicNowNs();

        ByteBuffer sample = onlySample();
        assertThat(sample.capacity()).isEqualTo(SwitchLayout.STACKS_OFFSET + STACKS_BYTES);
        assertThat(sample.getLong(EventLayout.TIMESTAMP_OFFSET)).isBetween(beforeNs, afterNs);
        assertThat(sample.getLong(EventLayout.TID_OFFSET)).isEqualTo(FIRST);
        assertThat(sample.getShort(EventLayout.RECORD_TYPE_OFFSET)).isEqualTo((short) RecordType.SWITCH.code());
        assertThat(sample.getInt(EventLayout.PROBE_ID_OFFSET)).isEqualTo(PROBE);
        assertThat(sample.getLong(EventLayout.DURATION_OFFSET)).isEqualTo(-1);
        assertThat(sample.getLong(EventLayout.UNAVAILABLE_OFFSET)).isZero();
        assertThat(sample.getLong(SwitchLayout.PREVIOUS_STATE_OFFSET)).isEqualTo(INTERRUPTIBLE);
        assertThat(sample.getInt(SwitchLayout.PREVIOUS_EXIT_STATE_OFFSET)).isZero();
        assertThat(sample.getInt(SwitchLayout.PREEMPTED_OFFSET)).isZero();
        assertThat(sample.getInt(SwitchLayout.PREVIOUS_PRIORITY_OFFSET)).isEqualTo(100);
        assertThat(sample.getInt(SwitchLayout.NEXT_PRIORITY_OFFSET)).isEqualTo(-1);
        assertThat(sample.getLong(SwitchLayout.NEXT_TID_OFFSET)).isEqualTo(SECOND);
        assertThat(text(sample, SwitchLayout.PREVIOUS_COMM_OFFSET)).isEqualTo("0123456789abcde");
        assertThat(text(sample, SwitchLayout.NEXT_COMM_OFFSET)).isEqualTo("worker");
        assertThat(hits()).isEqualTo(1);
    }

    @Test
    void onlyAThreadThatWaitsHasAStack() {
        assertThat(runSwitch(0, 0)).as("runs").isFalse();
        assertThat(runSwitch(1, INTERRUPTIBLE)).as("is preempted").isFalse();
        assertThat(runSwitch(0, TASK_DEAD)).as("ends").isFalse();
        assertThat(runSwitch(0, TASK_DEAD | INTERRUPTIBLE)).as("ends").isFalse();
        assertThat(runSwitch(0, 2)).as("waits for a disk").isTrue();
        assertThat(runSwitch(0, ~TASK_DEAD)).isTrue();
    }

    @Test
    void exitStateIsThatOfAThreadThatEnds() {
        runSwitch(0, TASK_DEAD);
        ByteBuffer sample = onlySample();
        assertThat(sample.getLong(SwitchLayout.PREVIOUS_STATE_OFFSET)).isEqualTo(TASK_DEAD);
        assertThat(sample.getInt(SwitchLayout.PREVIOUS_EXIT_STATE_OFFSET)).isEqualTo(0x20);
    }

    /** The registers of a bool and of an unsigned int may have anything in their other bytes. */
    @Test
    void otherBytesOfRegistersDoNotCount() {
        assertThat(runSwitch(0xabcd_ef00L, 0x1234_5678_0000_0001L)).isTrue();
        ByteBuffer sample = onlySample();
        assertThat(sample.getInt(SwitchLayout.PREEMPTED_OFFSET)).isZero();
        assertThat(sample.getLong(SwitchLayout.PREVIOUS_STATE_OFFSET)).isEqualTo(INTERRUPTIBLE);

        assertThat(runSwitch(0xabcd_ef01L, INTERRUPTIBLE)).isFalse();
        assertThat(onlySample().getInt(SwitchLayout.PREEMPTED_OFFSET)).isEqualTo(1);
    }

    @Test
    void stateIsReadFromTheTaskWhereTheTracepointDoesNotPassIt() throws Exception {
        tasks.put(PREVIOUS, "task_struct.__state", 0xffff_ff7fL);
        TestRun.run(
                objects.program("older_switch"),
                0,
                tasks.address(PREVIOUS),
                tasks.address(NEXT),
                TASK_DEAD,
                FIRST,
                SECOND);
        assertThat(onlySample().getLong(SwitchLayout.PREVIOUS_STATE_OFFSET)).isEqualTo(0xffff_ff7fL);
    }

    @Test
    void tasksThatCannotBeReadAreZero() {
        TestRun.run(objects.program("switch"), 0, UNREADABLE, UNREADABLE, TASK_DEAD, FIRST, SECOND);
        TestRun.run(objects.program("older_switch"), 0, UNREADABLE, -1, TASK_DEAD, FIRST, SECOND);
        TestRun.run(objects.program("waking"), UNREADABLE, FIRST, SECOND);

        List<ByteBuffer> samples = TestSamples.read(ring);
        assertThat(samples.subList(0, 2)).allSatisfy(sample -> {
            assertThat(sample.getInt(SwitchLayout.PREVIOUS_EXIT_STATE_OFFSET)).isZero();
            assertThat(sample.getInt(SwitchLayout.PREVIOUS_PRIORITY_OFFSET)).isZero();
            assertThat(sample.getInt(SwitchLayout.NEXT_PRIORITY_OFFSET)).isZero();
            assertThat(sample.getLong(SwitchLayout.NEXT_TID_OFFSET)).isEqualTo(SECOND);
            assertThat(text(sample, SwitchLayout.PREVIOUS_COMM_OFFSET)).isEmpty();
            assertThat(text(sample, SwitchLayout.NEXT_COMM_OFFSET)).isEmpty();
        });
        assertThat(samples.get(1).getLong(SwitchLayout.PREVIOUS_STATE_OFFSET)).isZero();
        assertThat(number(samples.get(2), 2)).isZero();
        assertThat(number(samples.get(2), 3)).isZero();
        assertThat(text(samples.get(2), offset(4))).isEmpty();
    }

    @Test
    void wakeUpHasTheThreadThatIsWoken() throws Exception {
        tasks.put(NEXT, "task_struct.thread_info.cpu", 7);
        TestRun.run(objects.program("waking"), tasks.address(NEXT), FIRST, SECOND);

        ByteBuffer sample = onlySample();
        assertThat(sample.capacity()).isEqualTo(SchedPrograms.wakingLayout().sizeBytes());
        assertThat(sample.getLong(EventLayout.TID_OFFSET)).isEqualTo(FIRST);
        assertThat(sample.getShort(EventLayout.RECORD_TYPE_OFFSET)).isEqualTo((short) RecordType.EVENT.code());
        assertThat(sample.getInt(EventLayout.PROBE_ID_OFFSET)).isEqualTo(PROBE);
        assertThat(sample.getLong(EventLayout.DURATION_OFFSET)).isEqualTo(-1);
        assertThat(sample.getLong(EventLayout.UNAVAILABLE_OFFSET)).isZero();
        assertThat(number(sample, 0)).isEqualTo(22);
        assertThat(number(sample, 1)).isEqualTo(20);
        assertThat(number(sample, 2)).as("signed").isEqualTo(-1);
        assertThat(number(sample, 3)).isEqualTo(7);
        assertThat(text(sample, offset(4))).isEqualTo("worker");
        assertThat(hits()).isEqualTo(1);
    }

    @Test
    void hitsBeyondTheRingAreCountedAsLost() {
        for (int i = 0; i < 100; i++) {
            runSwitch(0, INTERRUPTIBLE);
            TestRun.run(objects.program("waking"), tasks.address(NEXT), FIRST, SECOND);
        }
        int recorded = TestSamples.read(ring).size();
        assertThat(recorded).isPositive();
        assertThat(hits()).isEqualTo(200);
        assertThat(lost()).isEqualTo(200 - recorded);
    }

    private static int offset(int argument) {
        return SchedPrograms.wakingLayout().arguments().get(argument).offset();
    }

    private static long number(ByteBuffer sample, int argument) {
        return sample.getLong(offset(argument));
    }
}
