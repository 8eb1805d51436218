package dev.probestream.collector.internal.program;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R4;
import static dev.probestream.bpf.asm.Register.R6;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.asm.Width;
import dev.probestream.bpf.kernel.AttachType;
import dev.probestream.bpf.kernel.BpfMap;
import dev.probestream.bpf.kernel.BpfObjects;
import dev.probestream.bpf.kernel.MapSpec;
import dev.probestream.bpf.kernel.ObjectsSpec;
import dev.probestream.bpf.kernel.ProgramSpec;
import dev.probestream.bpf.kernel.ProgramType;
import dev.probestream.bpf.kernel.TestRun;
import dev.probestream.bpf.machine.ClockReading;
import dev.probestream.bpf.ring.RingBuffer;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.LossIndex;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.layout.OffCpuLayout;
import dev.probestream.collector.internal.program.layout.SumLayout;
import dev.probestream.schema.record.LossReason;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The functions of sched_sums.bpf.c, run by the kernel (BPF_PROG_TEST_RUN). Tasks are any numbers here. */
@KernelTest(since = "5.10")
class SchedSumsCodeTest {
    private static final int PROBE = 3;
    private static final int RUN_DELAY = PROBE + 1;
    private static final int MAX_THREADS = 4;
    private static final int MAX_SUMS = 4;
    private static final int TAG = 77;
    private static final long TASK = 0xffff_8880_1234_5678L;
    private static final long THREAD = ids(11, 10);
    private static final long OTHER = ids(22, 20);
    /** An array whose value is memory of the kernel. */
    private static final String COMM = "comm";

    // What the tracepoint sched_switch reports, and what a task_struct has (linux/sched.h).
    private static final long PREEMPTED = 0x100;
    private static final long IDLE = 0x80;
    private static final long TASK_DEAD = 0x80;
    private static final long INTERRUPTIBLE = 1;
    private static final long UNINTERRUPTIBLE = 2;

    private static final int WAITS =
            OffCpuLayout.RUNNABLE_UNAVAILABLE | OffCpuLayout.WAKER_UNAVAILABLE | OffCpuLayout.NEXT_UNAVAILABLE;

    private BpfObjects objects;
    private RingBuffer ring;

    @BeforeEach
    void load() {
        objects = FunctionsInC.link(new ObjectsSpec(
                        List.of(
                                MapSpec.hash(MapNames.OFF_CPU, Long.BYTES, OffCpuLayout.VALUE_SIZE_BYTES, MAX_THREADS),
                                MapSpec.hash(
                                        MapNames.SCHED_SUMS, SumLayout.KEY_SIZE_BYTES, SumLayout.SIZE_BYTES, MAX_SUMS),
                                MapSpec.array(MapNames.SCHED_REST, SumLayout.SIZE_BYTES, 2),
                                MapSpec.array(MapNames.SCHED_LIMIT, Long.BYTES, 1),
                                MapSpec.array(MapNames.SUM_INTERVAL, Integer.BYTES, 1),
                                MapSpec.perCpuArray(MapNames.HITS, Long.BYTES, RUN_DELAY + 1),
                                MapSpec.perCpuArray(MapNames.LOSSES, Long.BYTES, LossIndex.count(RUN_DELAY)),
                                MapSpec.ringBuffer(MapNames.EVENTS, 4096),
                                MapSpec.array(COMM, Long.BYTES * 2, 1)),
                        List.of(
                                program("leave", leave()),
                                program("preempted", preempted(true)),
                                program("unreadable", preempted(false)),
                                program("wake", wake()),
                                program("take", take()))))
                .load();
        ring = RingBuffer.map(objects.map(MapNames.EVENTS));
        limit(0);
        interval(1);
    }

    @AfterEach
    void unload() {
        ring.close();
        objects.close();
    }

    private static ProgramSpec program(String name, Assembler assembler) {
        return new ProgramSpec(name, ProgramType.RAW_TRACEPOINT, AttachType.NONE, 0, 0, assembler.assemble());
    }

    /** The context is that of sched_switch, then the ids of the thread. Its result is whether the thread could go on. */
    private static Assembler leave() {
        Assembler assembler = new Assembler();
        Label no = assembler.newLabel();
        int thread = slot(assembler, 32);
        assembler
                .mov(R2, R10)
                .add(R2, thread)
                .load(Width.DOUBLE_WORD, R3, R1, 24)
                .mov(R4, PROBE);
        assembler.callFunction("leave_cpu", 192).jumpIf(Condition.EQUAL, R0, 0, no);
        assembler.load(Width.DOUBLE_WORD, R0, R0, OffCpuLayout.STATE_OFFSET).mov(R0, 1);
        return assembler.bind(no).exit();
    }

    /** The context is a task, and the ids of the other thread. */
    private static Assembler preempted(boolean isReadable) {
        Assembler assembler = new Assembler().mov(R6, R1);
        Label none = assembler.newLabel();
        int next = slot(assembler, 8);
        entry(assembler, none).mov(R1, R0).mov(R2, R10).add(R2, next);
        if (isReadable) {
            assembler.loadMapValue(R3, COMM);
        } else {
            assembler.mov(R3, 8);
        }
        return assembler.callFunction("preempted_by", 32).bind(none).mov(R0, 0).exit();
    }

    /** The context is a task, and the ids of the running thread. */
    private static Assembler wake() {
        Assembler assembler = new Assembler().mov(R6, R1);
        Label none = assembler.newLabel();
        int waker = slot(assembler, 8);
        entry(assembler, none).mov(R1, R0).mov(R2, R10).add(R2, waker).mov(R3, RUN_DELAY);
        return assembler.callFunction("wake", 32).bind(none).mov(R0, 0).exit();
    }

    /** The context is a task. */
    private static Assembler take() {
        Assembler assembler = new Assembler().mov(R6, R1);
        Label none = assembler.newLabel();
        entry(assembler, none).mov(R1, R0).mov(R2, PROBE);
        assembler.loadMapValue(R3, MapNames.SUM_INTERVAL).loadMapValue(R4, MapNames.SCHED_LIMIT);
        return assembler.callFunction("take_cpu", 224).bind(none).mov(R0, 0).exit();
    }

    /** Puts 8 bytes of the context on the stack. */
    private static int slot(Assembler assembler, int contextOffset) {
        int slot = assembler.stackSlot(Long.BYTES);
        assembler.load(Width.DOUBLE_WORD, R2, R1, contextOffset).store(Width.DOUBLE_WORD, R10, slot, R2);
        return slot;
    }

    /** R0 = the entry of the task, the first of the context at R6. */
    private static Assembler entry(Assembler assembler, Label none) {
        int task = assembler.stackSlot(Long.BYTES);
        assembler.load(Width.DOUBLE_WORD, R1, R6, 0).store(Width.DOUBLE_WORD, R10, task, R1);
        assembler
                .loadMap(R1, MapNames.OFF_CPU)
                .mov(R2, Register.R10)
                .add(R2, task)
                .call(Helper.MAP_LOOKUP_ELEM);
        return assembler.jumpIf(Condition.EQUAL, R0, 0, none);
    }

    private static long ids(int tid, int tgid) {
        return (long) tgid << Integer.SIZE | tid;
    }

    private boolean leave(long task, long isPreempted, long state) {
        return TestRun.run(objects.program("leave"), isPreempted, task, 0, state, THREAD) != 0;
    }

    private void run(String program, long... context) {
        TestRun.run(objects.program(program), context);
    }

    private void limit(long limitNs) {
        put(MapNames.SCHED_LIMIT, BpfMap.key(0), buffer(Long.BYTES).putLong(0, limitNs));
    }

    private void interval(int number) {
        put(MapNames.SUM_INTERVAL, BpfMap.key(0), BpfMap.key(number));
    }

    private void put(String map, ByteBuffer key, ByteBuffer value) {
        objects.map(map).update(key, value);
    }

    private static ByteBuffer buffer(int sizeBytes) {
        return ByteBuffer.allocate(sizeBytes).order(ByteOrder.nativeOrder());
    }

    private static ByteBuffer key(long task) {
        return buffer(Long.BYTES).putLong(0, task);
    }

    private Optional<ByteBuffer> entry(long task) {
        return objects.map(MapNames.OFF_CPU).lookup(key(task)).map(value -> value.order(ByteOrder.nativeOrder()));
    }

    private long field(int offset) {
        return entry(TASK).orElseThrow().getLong(offset);
    }

    /** An entry whose time began at a moment; runnableSinceNs as in OffCpuLayout. */
    private void away(long task, int tid, long sinceNs, long state, long runnableSinceNs) {
        put(
                MapNames.OFF_CPU,
                key(task),
                buffer(OffCpuLayout.VALUE_SIZE_BYTES)
                        .putLong(EventLayout.TIMESTAMP_OFFSET, sinceNs)
                        .putInt(EventLayout.TID_OFFSET, tid)
                        .putInt(EventLayout.TGID_OFFSET, 10)
                        .putInt(EventLayout.PROBE_ID_OFFSET, PROBE)
                        .putLong(EventLayout.UNAVAILABLE_OFFSET, WAITS)
                        .putLong(OffCpuLayout.STATE_OFFSET, state)
                        .putLong(OffCpuLayout.RUNNABLE_SINCE_OFFSET, runnableSinceNs)
                        .putInt(OffCpuLayout.THREAD_TAG_OFFSET, TAG));
    }

    private List<ByteBuffer> events() {
        List<ByteBuffer> events = new ArrayList<>();
        ring.poll(
                (buffer, offset, length) -> {
                    ByteBuffer copy = buffer(length);
                    for (int i = 0; i < length; i++) {
                        copy.put(i, buffer.get(offset + i));
                    }
                    events.add(copy);
                },
                Integer.MAX_VALUE);
        return events;
    }

    private long hits(int probe) {
        return objects.map(MapNames.HITS).sumOfLongs(probe);
    }

    private long lost(LossReason reason) {
        return objects.map(MapNames.LOSSES).sumOfLongs(LossIndex.of(PROBE, reason));
    }

    private Optional<Sum> sum(int tid, int probe) {
        return Sum.read(objects.map(MapNames.SCHED_SUMS), Sum.key(tid, probe, TAG));
    }

    private Sum rest(int index) {
        return Sum.read(objects.map(MapNames.SCHED_REST), BpfMap.key(index)).orElseThrow();
    }

    @Test
    void sleepBeginsAnEntryOfItsThread() {
        long beforeNs = ClockReading.monotonicNowNs();
        assertThat(leave(TASK, 0, INTERRUPTIBLE)).isFalse();
        long afterNs = ClockReading.monotonicNowNs();

        assertThat(field(EventLayout.TIMESTAMP_OFFSET)).isBetween(beforeNs, afterNs);
        assertThat(field(EventLayout.TID_OFFSET)).isEqualTo(THREAD);
        assertThat(field(EventLayout.DURATION_OFFSET)).isEqualTo(-1);
        assertThat(field(EventLayout.UNAVAILABLE_OFFSET)).isEqualTo(WAITS);
        assertThat(field(OffCpuLayout.STATE_OFFSET)).isEqualTo(INTERRUPTIBLE);
        assertThat(field(OffCpuLayout.RUNNABLE_SINCE_OFFSET)).isZero();
        ByteBuffer entry = entry(TASK).orElseThrow();
        assertThat(entry.getInt(EventLayout.PROBE_ID_OFFSET)).isEqualTo(PROBE);
        assertThat(entry.getInt(OffCpuLayout.THREAD_TAG_OFFSET))
                .isBetween((int) (beforeNs >> 20), (int) (afterNs >> 20));
        assertThat(hits(PROBE)).isEqualTo(1);
    }

    @Test
    void stateIsWhatTheTracepointReports() {
        long[][] reported = {
            {INTERRUPTIBLE, INTERRUPTIBLE},
            {UNINTERRUPTIBLE, UNINTERRUPTIBLE},
            {0x402, IDLE},
            {0x1000, UNINTERRUPTIBLE}, // TASK_RTLOCK_WAIT
            {0x8001, UNINTERRUPTIBLE}, // TASK_FROZEN
            {4, 4},
            {8, 8},
            {0x10, 0x10},
            {0x20, 0x20},
            {0x40, 0x40},
            {0x102, UNINTERRUPTIBLE}, // TASK_KILLABLE
            {3, UNINTERRUPTIBLE},
            {0x800, INTERRUPTIBLE},
            {0xffff_ff7fL, IDLE},
            {Long.MIN_VALUE, INTERRUPTIBLE},
        };
        for (long[] pair : reported) {
            assertThat(leave(TASK, 0, pair[0])).as("%x", pair[0]).isFalse();
            assertThat(field(OffCpuLayout.STATE_OFFSET)).as("%x", pair[0]).isEqualTo(pair[1]);
        }
    }

    @Test
    void threadThatCouldGoOnBeginsWithTheOneThatTakesItsCpu() {
        put(COMM, BpfMap.key(0), buffer(16).put(0, "worker".getBytes(StandardCharsets.US_ASCII)));
        assertThat(leave(TASK, 0, 0)).isTrue();
        assertThat(field(OffCpuLayout.STATE_OFFSET)).isZero();
        // The argument is a bool: the other bytes of the register may be anything.
        assertThat(leave(TASK, 0xabcd_ef00L, INTERRUPTIBLE)).isFalse();
        assertThat(leave(TASK, 0xabcd_ef01L, INTERRUPTIBLE)).isTrue();
        assertThat(field(OffCpuLayout.STATE_OFFSET)).isEqualTo(PREEMPTED);

        run("preempted", TASK, OTHER);
        assertThat(field(EventLayout.TIMESTAMP_OFFSET))
                .isPositive()
                .isEqualTo(field(OffCpuLayout.RUNNABLE_SINCE_OFFSET));
        assertThat(field(OffCpuLayout.NEXT_TID_OFFSET)).isEqualTo(22);
        assertThat(field(OffCpuLayout.NEXT_PID_OFFSET)).isEqualTo(20);
        byte[] comm = new byte[16];
        entry(TASK).orElseThrow().get(OffCpuLayout.NEXT_COMM_OFFSET, comm);
        assertThat(new String(comm, StandardCharsets.US_ASCII).strip().replace("\0", ""))
                .isEqualTo("worker");
        assertThat(field(EventLayout.UNAVAILABLE_OFFSET))
                .isEqualTo(OffCpuLayout.RUNNABLE_UNAVAILABLE | OffCpuLayout.WAKER_UNAVAILABLE);

        run("unreadable", TASK, OTHER);
        assertThat(field(OffCpuLayout.NEXT_COMM_OFFSET)).isZero();
    }

    @Test
    void threadThatEndsHasNoEntryAnyMore() {
        leave(TASK, 0, INTERRUPTIBLE);
        assertThat(leave(TASK, 0, TASK_DEAD)).isFalse();
        assertThat(entry(TASK)).isEmpty();
        assertThat(leave(TASK, 1, TASK_DEAD)).as("without an entry").isFalse();
        assertThat(entry(TASK)).isEmpty();
        assertThat(hits(PROBE)).isEqualTo(3);
    }

    @Test
    void threadsBeyondTheMapAreCountedAsLost() {
        for (int i = 0; i < MAX_THREADS + 3; i++) {
            assertThat(leave(TASK + i, 1, 0)).isEqualTo(i < MAX_THREADS);
        }
        assertThat(lost(LossReason.TOO_MANY_OPEN_SPANS)).isEqualTo(3);
        assertThat(leave(TASK, 1, 0)).as("one that has an entry").isTrue();
        assertThat(hits(PROBE)).isEqualTo(MAX_THREADS + 4);
    }

    @Test
    void firstWakerIsKept() {
        leave(TASK, 0, INTERRUPTIBLE);
        run("wake", TASK, OTHER);
        long sinceNs = field(OffCpuLayout.RUNNABLE_SINCE_OFFSET);
        run("wake", TASK, THREAD);

        assertThat(sinceNs).isBetween(field(EventLayout.TIMESTAMP_OFFSET), ClockReading.monotonicNowNs());
        assertThat(field(OffCpuLayout.RUNNABLE_SINCE_OFFSET)).isEqualTo(sinceNs);
        assertThat(field(OffCpuLayout.WAKER_TID_OFFSET)).isEqualTo(22);
        assertThat(field(OffCpuLayout.WAKER_PID_OFFSET)).isEqualTo(20);
        assertThat(field(OffCpuLayout.WAKER_COMM_OFFSET)).isNotZero();
        assertThat(field(EventLayout.UNAVAILABLE_OFFSET))
                .isEqualTo(OffCpuLayout.RUNNABLE_UNAVAILABLE | OffCpuLayout.NEXT_UNAVAILABLE);
        assertThat(hits(RUN_DELAY)).isEqualTo(1);
    }

    @Test
    void wakingOfAThreadThatRunsIsNone() {
        away(TASK, 11, 0, INTERRUPTIBLE, 0);
        run("wake", TASK, OTHER);
        run("take", TASK);
        assertThat(field(OffCpuLayout.WAKER_TID_OFFSET)).isZero();
        assertThat(hits(RUN_DELAY)).isZero();
        assertThat(sum(11, PROBE)).isEmpty();
        assertThat(events()).isEmpty();
    }

    @Test
    void timeWhoseBeginningIsSeenTwiceIsThatOfTheSecond() {
        away(TASK, 11, 5, UNINTERRUPTIBLE, 6);
        long beforeNs = ClockReading.monotonicNowNs();
        leave(TASK, 0, INTERRUPTIBLE);
        assertThat(field(EventLayout.TIMESTAMP_OFFSET)).isGreaterThanOrEqualTo(beforeNs);
        assertThat(field(OffCpuLayout.RUNNABLE_SINCE_OFFSET)).isZero();
        assertThat(sum(11, PROBE)).isEmpty();
    }

    /** Times of any length, also such as no clock gives: they begin in the future. */
    @Test
    void sumsAreThoseOfPlainJava() {
        Random random = new Random(18);
        Sum offCpu = Sum.none(10);
        Sum runDelay = Sum.none(10);
        for (int i = 0; i < 500; i++) {
            int interval = 1 + i / 50;
            interval(interval);
            long nowNs = ClockReading.monotonicNowNs();
            long agoNs = random.nextLong() >>> random.nextInt(Long.SIZE);
            long readyAgoNs = random.nextInt(4) == 0 ? nowNs : random.nextLong() >> random.nextInt(Long.SIZE);
            away(TASK, 11, nowNs == agoNs ? 1 : nowNs - agoNs, INTERRUPTIBLE, nowNs - readyAgoNs);
            run("take", TASK);
            assertThat(field(EventLayout.TIMESTAMP_OFFSET)).isZero();
            ByteBuffer event = events().get(0);
            offCpu = offCpu.plus(event.getLong(EventLayout.DURATION_OFFSET), false, interval);
            boolean isUnknown =
                    (event.getLong(EventLayout.UNAVAILABLE_OFFSET) & OffCpuLayout.RUNNABLE_UNAVAILABLE) != 0;
            assertThat(isUnknown).isEqualTo(readyAgoNs == nowNs);
            if (!isUnknown) {
                runDelay = runDelay.plus(event.getLong(OffCpuLayout.RUNNABLE_OFFSET), false, interval);
            }
            assertThat(sum(11, PROBE)).as("time %d", i).contains(offCpu);
            assertThat(sum(11, RUN_DELAY))
                    .as("time %d", i)
                    .isEqualTo(runDelay.equals(Sum.none(10)) ? Optional.empty() : Optional.of(runDelay));
        }
        assertThat(offCpu.durations()).filteredOn(count -> count > 0).hasSizeGreaterThan(15);
    }

    @Test
    void threadsThatFindNoRoomShareTheRest() {
        Sum offCpu = Sum.none(0);
        Sum runDelay = Sum.none(0);
        for (int i = 0; i < 8; i++) {
            long nowNs = ClockReading.monotonicNowNs();
            away(TASK, 100 + i, nowNs - (1L << (4 * i)), INTERRUPTIBLE, nowNs - 300);
            run("take", TASK);
            ByteBuffer event = events().get(0);
            if (i >= MAX_SUMS / 2) {
                offCpu = offCpu.plus(event.getLong(EventLayout.DURATION_OFFSET), false, 1);
                runDelay = runDelay.plus(event.getLong(OffCpuLayout.RUNNABLE_OFFSET), false, 1);
            }
        }
        assertThat(rest(0)).isEqualTo(offCpu);
        assertThat(rest(1)).isEqualTo(runDelay);
        assertThat(sum(100, PROBE)).isPresent();
        assertThat(sum(107, PROBE)).isEmpty();
    }

    @Test
    void timeIsAnEventFromTheLimitOnAndWithoutSleepFromAnEighth() {
        limit(8_000_000_000L);
        long nowNs = ClockReading.monotonicNowNs();
        for (long state : new long[] {INTERRUPTIBLE, UNINTERRUPTIBLE, 0, PREEMPTED}) {
            long limitNs = state == INTERRUPTIBLE ? 8_000_000_000L : 1_000_000_000L;
            away(TASK, 11, nowNs - limitNs + 900_000_000, state, 0);
            run("take", TASK);
            assertThat(events()).as("state %d", state).isEmpty();
            away(TASK, 11, nowNs - limitNs, state, 0);
            run("take", TASK);
            assertThat(events()).as("state %d", state).singleElement().satisfies(event -> {
                assertThat(event.capacity()).isEqualTo(OffCpuLayout.SAMPLE_SIZE_BYTES);
                assertThat(event.getLong(EventLayout.TIMESTAMP_OFFSET)).isEqualTo(nowNs - limitNs);
                assertThat(event.getLong(EventLayout.DURATION_OFFSET)).isGreaterThanOrEqualTo(limitNs);
                assertThat(event.getLong(OffCpuLayout.STATE_OFFSET)).isEqualTo(state);
            });
        }
    }

    @Test
    void eventsThatTheRingRefusesAreCounted() {
        int fit = 4096 / (OffCpuLayout.SAMPLE_SIZE_BYTES + 8) - 1;
        LongStream.range(0, fit + 5).forEach(i -> {
            away(TASK, 11, 1, INTERRUPTIBLE, 0);
            run("take", TASK);
            assertThat(field(EventLayout.TIMESTAMP_OFFSET)).isZero();
        });
        int read = events().size();
        assertThat(read).isBetween(fit, fit + 1);
        assertThat(lost(LossReason.RING_FULL)).isEqualTo(fit + 5 - read);
        assertThat(sum(11, PROBE).orElseThrow().durations().get(SumLayout.DURATION_COUNT - 1))
                .isEqualTo(fit + 5);
    }
}
