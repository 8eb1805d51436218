package dev.probestream.collector.internal.program;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R4;
import static dev.probestream.bpf.asm.Register.R6;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.asm.Width;
import dev.probestream.bpf.btf.BtfFile;
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
import dev.probestream.collector.internal.program.layout.OffCpuLayout;
import dev.probestream.collector.internal.program.layout.SumLayout;
import dev.probestream.schema.record.LossReason;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** The functions of sched_sums.bpf.c, loaded with maps, and what a test puts into these and reads from them. */
abstract class SchedSumFunctions {
    static final int PROBE = 3;
    static final int RUN_DELAY = PROBE + 1;
    static final int MAX_THREADS = 4;
    static final int MAX_SUMS = 4;
    static final int TAG = 77;
    static final long TASK = 0xffff_8880_1234_5678L;
    static final long THREAD = TestSamples.ids(11, 10);
    static final long OTHER = TestSamples.ids(22, 20);

    // What the tracepoint sched_switch reports, and what a task_struct has (linux/sched.h).
    static final long PREEMPTED = 0x100;
    static final long IDLE = 0x80;
    static final long TASK_DEAD = 0x80;
    static final long INTERRUPTIBLE = 1;
    static final long UNINTERRUPTIBLE = 2;

    static final int WAITS =
            OffCpuLayout.RUNNABLE_UNAVAILABLE | OffCpuLayout.WAKER_UNAVAILABLE | OffCpuLayout.NEXT_UNAVAILABLE;

    private static BtfFile types;

    BpfObjects objects;
    RingBuffer ring;
    FakeTasks tasks;

    @BeforeAll
    static void readTypes() throws Exception {
        types = BtfFile.ofKernel();
    }

    @BeforeEach
    void load() {
        List<MapSpec> maps = new ArrayList<>(FakeTasks.maps());
        maps.addAll(List.of(
                MapSpec.hash(MapNames.OFF_CPU, Long.BYTES, OffCpuLayout.VALUE_SIZE_BYTES, MAX_THREADS),
                MapSpec.hash(MapNames.SCHED_SUMS, SumLayout.KEY_SIZE_BYTES, SumLayout.SIZE_BYTES, MAX_SUMS),
                MapSpec.array(MapNames.SCHED_REST, SumLayout.SIZE_BYTES, 2),
                MapSpec.array(MapNames.SCHED_LIMIT, Long.BYTES, 1),
                MapSpec.array(MapNames.SUM_INTERVAL, Integer.BYTES, 1),
                MapSpec.perCpuArray(MapNames.HITS, Long.BYTES, RUN_DELAY + 1),
                MapSpec.perCpuArray(MapNames.LOSSES, Long.BYTES, LossIndex.count(RUN_DELAY)),
                MapSpec.ringBuffer(MapNames.EVENTS, 4096)));
        objects = FunctionsInC.link(new ObjectsSpec(
                        maps,
                        List.of(
                                program("leave", leave(1)),
                                program("older_leave", leave(0)),
                                program("preempted", preempted()),
                                program("wake", wake()),
                                program("take", take()),
                                FakeTasks.program())))
                .load();
        ring = RingBuffer.map(objects.map(MapNames.EVENTS));
        tasks = new FakeTasks(objects, types);
        limit(0);
        interval(1);
    }

    @AfterEach
    void unload() {
        ring.close();
        objects.close();
    }

    static ProgramSpec program(String name, Assembler assembler) {
        return TestRun.spec(name, assembler);
    }

    /** The context is that of sched_switch, then the ids of the thread. Its result is whether the thread could go on. */
    static Assembler leave(int passesState) {
        Assembler assembler = new Assembler();
        Label no = assembler.newLabel();
        int thread = slot(assembler, 32);
        assembler.mov(R2, R10).add(R2, thread).mov(R3, passesState).mov(R4, PROBE);
        assembler.callFunction("leave_cpu", 192).jumpIf(Condition.EQUAL, R0, 0, no);
        assembler.load(Width.DOUBLE_WORD, R0, R0, OffCpuLayout.STATE_OFFSET).mov(R0, 1);
        return assembler.bind(no).exit();
    }

    /** The context is a task, and the ids and the task of the other thread. */
    static Assembler preempted() {
        Assembler assembler = new Assembler().mov(R6, R1);
        Label none = assembler.newLabel();
        int next = slot(assembler, 8);
        entry(assembler, none).mov(R1, R0).mov(R2, R10).add(R2, next).load(Width.DOUBLE_WORD, R3, R6, 16);
        return assembler.callFunction("preempted_by", 32).bind(none).mov(R0, 0).exit();
    }

    /** The context is a task, and the ids of the running thread. */
    static Assembler wake() {
        Assembler assembler = new Assembler().mov(R6, R1);
        Label none = assembler.newLabel();
        int waker = slot(assembler, 8);
        entry(assembler, none).mov(R1, R0).mov(R2, R10).add(R2, waker).mov(R3, RUN_DELAY);
        return assembler.callFunction("wake", 32).bind(none).mov(R0, 0).exit();
    }

    /** The context is a task. */
    static Assembler take() {
        Assembler assembler = new Assembler().mov(R6, R1);
        Label none = assembler.newLabel();
        entry(assembler, none).mov(R1, R0).mov(R2, PROBE);
        assembler.loadMapValue(R3, MapNames.SUM_INTERVAL).loadMapValue(R4, MapNames.SCHED_LIMIT);
        return assembler.callFunction("take_cpu", 224).bind(none).mov(R0, 0).exit();
    }

    /** Puts 8 bytes of the context on the stack. */
    static int slot(Assembler assembler, int contextOffset) {
        int slot = assembler.stackSlot(Long.BYTES);
        assembler.load(Width.DOUBLE_WORD, R2, R1, contextOffset).store(Width.DOUBLE_WORD, R10, slot, R2);
        return slot;
    }

    /** R0 = the entry of the task, the first of the context at R6. */
    static Assembler entry(Assembler assembler, Label none) {
        int task = assembler.stackSlot(Long.BYTES);
        assembler.load(Width.DOUBLE_WORD, R1, R6, 0).store(Width.DOUBLE_WORD, R10, task, R1);
        assembler
                .loadMap(R1, MapNames.OFF_CPU)
                .mov(R2, Register.R10)
                .add(R2, task)
                .call(Helper.MAP_LOOKUP_ELEM);
        return assembler.jumpIf(Condition.EQUAL, R0, 0, none);
    }

    boolean leave(long task, long isPreempted, long state) {
        return TestRun.run(objects.program("leave"), isPreempted, task, 0, state, THREAD) != 0;
    }

    void run(String program, long... context) {
        TestRun.run(objects.program(program), context);
    }

    void limit(long limitNs) {
        put(MapNames.SCHED_LIMIT, BpfMap.key(0), buffer(Long.BYTES).putLong(0, limitNs));
    }

    void interval(int number) {
        put(MapNames.SUM_INTERVAL, BpfMap.key(0), BpfMap.key(number));
    }

    void put(String map, ByteBuffer key, ByteBuffer value) {
        objects.map(map).update(key, value);
    }

    static ByteBuffer buffer(int sizeBytes) {
        return ByteBuffer.allocate(sizeBytes).order(ByteOrder.nativeOrder());
    }

    static ByteBuffer key(long task) {
        return buffer(Long.BYTES).putLong(0, task);
    }

    Optional<ByteBuffer> entry(long task) {
        return objects.map(MapNames.OFF_CPU).lookup(key(task)).map(value -> value.order(ByteOrder.nativeOrder()));
    }

    long field(int offset) {
        return entry(TASK).orElseThrow().getLong(offset);
    }

    /** An entry whose time began at a moment; runnableSinceNs as in OffCpuLayout. */
    void away(long task, int tid, long sinceNs, long state, long runnableSinceNs) {
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

    List<ByteBuffer> events() {
        return TestSamples.read(ring);
    }

    long hits(int probe) {
        return objects.map(MapNames.HITS).sumOfLongs(probe);
    }

    long lost(LossReason reason) {
        return objects.map(MapNames.LOSSES).sumOfLongs(LossIndex.of(PROBE, reason));
    }

    Optional<Sum> sum(int tid, int probe) {
        return Sum.read(objects.map(MapNames.SCHED_SUMS), Sum.key(tid, probe, TAG));
    }

    Sum rest(int index) {
        return Sum.read(objects.map(MapNames.SCHED_REST), BpfMap.key(index)).orElseThrow();
    }
}
