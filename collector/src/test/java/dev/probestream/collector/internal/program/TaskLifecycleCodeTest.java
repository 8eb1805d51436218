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
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.asm.Width;
import dev.probestream.bpf.btf.BtfFile;
import dev.probestream.bpf.kernel.BpfObjects;
import dev.probestream.bpf.kernel.ObjectsSpec;
import dev.probestream.bpf.kernel.ProgramSpec;
import dev.probestream.bpf.kernel.TestRun;
import dev.probestream.bpf.machine.ClockReading;
import dev.probestream.bpf.map.BpfMap;
import dev.probestream.bpf.map.MapSpec;
import dev.probestream.bpf.ring.RingBuffer;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.LossIndex;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.layout.RecordType;
import dev.probestream.collector.internal.program.layout.TaskLifecycleLayout;
import dev.probestream.collector.internal.program.options.FollowRule;
import dev.probestream.schema.record.LossReason;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The functions of task_lifecycle.bpf.c, run by the kernel (BPF_PROG_TEST_RUN) with tasks of the test. */
@KernelTest(since = "5.10")
class TaskLifecycleCodeTest {
    private static final int STACK_BYTES = 32;
    private static final int MAX_TARGETS = 2;
    private static final long PARENT = TestSamples.ids(11, 10);
    private static final long CHILD = TestSamples.ids(20, 20);
    private static final long UNREADABLE = 8;
    private static final int TASK = 1;
    private static final int SIGNAL = 2;

    private static BtfFile types;

    private BpfObjects objects;
    private RingBuffer ring;
    private FakeTasks tasks;

    @BeforeAll
    static void readTypes() throws Exception {
        types = BtfFile.ofKernel();
    }

    @BeforeEach
    void load() {
        List<MapSpec> maps = new ArrayList<>(FakeTasks.maps());
        maps.add(MapSpec.hash(MapNames.TARGETS, Integer.BYTES, Integer.BYTES, MAX_TARGETS));
        maps.add(MapSpec.perCpuArray(MapNames.LOSSES, Long.BYTES, LossIndex.count(0)));
        maps.add(MapSpec.ringBuffer(MapNames.EVENTS, 4096));
        objects = FunctionsInC.link(new ObjectsSpec(
                        maps,
                        List.of(
                                follow("follow_child", true),
                                follow("follow_every_child", false),
                                followNamed("follow_name"),
                                followNamed("leave_name"),
                                followNamed("follow_process"),
                                record("record_fork", true),
                                record("record_exec", false),
                                record("record_exit", false),
                                record("record_rename", false),
                                FakeTasks.program())))
                .load();
        ring = RingBuffer.map(objects.map(MapNames.EVENTS));
        tasks = new FakeTasks(objects, types);
    }

    @AfterEach
    void unload() {
        ring.close();
        objects.close();
    }

    /** The context is the ids of the parent and of the child, the child's task and a name. */
    private static ProgramSpec follow(String name, boolean isByName) {
        Assembler assembler = new Assembler().mov(R6, R1);
        slotTo(R1, assembler, 0, 1);
        slotTo(R2, assembler, 8, 1);
        assembler.load(Width.DOUBLE_WORD, R3, R6, 16);
        if (isByName) {
            slotTo(R4, assembler, 24, 2);
        } else {
            assembler.mov(R4, 0);
        }
        return TestRun.spec(
                name, assembler.callFunction("follow_child", STACK_BYTES).exit());
    }

    /** The context is the ids of the thread and a name. */
    private static ProgramSpec followNamed(String function) {
        Assembler assembler = new Assembler().mov(R6, R1);
        slotTo(R1, assembler, 0, 1);
        slotTo(R2, assembler, 8, 2);
        return TestRun.spec(
                function, assembler.callFunction(function, STACK_BYTES).exit());
    }

    /** The context is the ids of the thread, those of the child if there is one, and a number. */
    private static ProgramSpec record(String function, boolean hasChild) {
        Assembler assembler = new Assembler().mov(R6, R1);
        slotTo(R1, assembler, 0, 1);
        if (hasChild) {
            slotTo(R2, assembler, 8, 1);
            assembler.load(Width.DOUBLE_WORD, R3, R6, 16);
        } else {
            assembler.load(Width.DOUBLE_WORD, R2, R6, 8);
        }
        return TestRun.spec(
                function, assembler.callFunction(function, STACK_BYTES).exit());
    }

    /** Copies words of the context at R6 to the stack; the register = where. */
    private static void slotTo(Register register, Assembler assembler, int contextOffset, int words) {
        int slot = assembler.stackSlot(words * Long.BYTES);
        for (int i = 0; i < words; i++) {
            assembler.load(Width.DOUBLE_WORD, R0, R6, contextOffset + i * Long.BYTES);
            assembler.store(Width.DOUBLE_WORD, R10, slot + i * Long.BYTES, R0);
        }
        assembler.mov(register, R10).add(register, slot);
    }

    private int run(String program, long... context) {
        return TestRun.run(objects.program(program), context);
    }

    /** Runs a function with a name behind the rest of its context. */
    private int runNamed(String program, String name, long... context) {
        ByteBuffer comm =
                ByteBuffer.wrap(new FollowRule(false, name).commBytes()).order(ByteOrder.LITTLE_ENDIAN);
        long[] all = Arrays.copyOf(context, context.length + 2);
        all[context.length] = comm.getLong(0);
        all[context.length + 1] = comm.getLong(Long.BYTES);
        return run(program, all);
    }

    private boolean isTarget(int tgid) {
        return objects.map(MapNames.TARGETS).lookup(BpfMap.key(tgid)).isPresent();
    }

    private ByteBuffer onlySample(RecordType type) {
        List<ByteBuffer> samples = TestSamples.read(ring);
        assertThat(samples).hasSize(1);
        ByteBuffer sample = samples.get(0);
        assertThat(sample.capacity()).isEqualTo(TaskLifecycleLayout.SIZE_BYTES);
        assertThat(sample.getShort(EventLayout.RECORD_TYPE_OFFSET)).isEqualTo((short) type.code());
        assertThat(sample.getInt(EventLayout.PROBE_ID_OFFSET)).isZero();
        assertThat(sample.getLong(EventLayout.TID_OFFSET)).isEqualTo(PARENT);
        assertThat(sample.getLong(EventLayout.DURATION_OFFSET)).isEqualTo(-1);
        assertThat(sample.getLong(EventLayout.UNAVAILABLE_OFFSET)).isZero();
        return sample;
    }

    private static int first(ByteBuffer sample) {
        return sample.getInt(TaskLifecycleLayout.FIRST_OFFSET);
    }

    private static int second(ByteBuffer sample) {
        return sample.getInt(TaskLifecycleLayout.SECOND_OFFSET);
    }

    /** All 16 bytes, so that what lay in the ring before would show. */
    private static String comm(ByteBuffer sample) {
        byte[] bytes = new byte[FollowRule.COMM_SIZE_BYTES];
        sample.get(TaskLifecycleLayout.COMM_OFFSET, bytes);
        return new String(bytes, StandardCharsets.ISO_8859_1).replaceAll("\0*$", "");
    }

    /** Of the running thread. */
    private static String ownName() throws Exception {
        return Files.readString(Path.of("/proc/thread-self/comm")).strip();
    }

    @Test
    void childIsListedBeforeItRuns() throws Exception {
        assertThat(run("follow_every_child", PARENT, CHILD, UNREADABLE)).isEqualTo(1);
        assertThat(isTarget(20)).isTrue();
    }

    @Test
    void newThreadOfTheProcessIsNoNewTarget() {
        assertThat(run("follow_every_child", PARENT, TestSamples.ids(12, 10), UNREADABLE))
                .isEqualTo(1);
        assertThat(runNamed("follow_child", "other", PARENT, TestSamples.ids(12, 10), UNREADABLE))
                .isEqualTo(1);
        assertThat(isTarget(10)).isFalse();
    }

    @Test
    void onlyAChildOfTheNameIsFollowed() throws Exception {
        tasks.name(TASK, "0123456789abcde");
        for (String other : List.of("0123456789abcdf", "1123456789abcde", "0123456789abcd", "01234567")) {
            assertThat(runNamed("follow_child", other, PARENT, CHILD, tasks.address(TASK)))
                    .as(other)
                    .isZero();
        }
        assertThat(isTarget(20)).isFalse();
        assertThat(runNamed("follow_child", "node", PARENT, CHILD, UNREADABLE)).isZero();

        assertThat(runNamed("follow_child", "0123456789abcde", PARENT, CHILD, tasks.address(TASK)))
                .isEqualTo(1);
        assertThat(isTarget(20)).isTrue();
    }

    @Test
    void processIsFollowedWhenItGetsTheName() throws Exception {
        assertThat(runNamed("follow_name", "no such name", PARENT)).isZero();
        assertThat(isTarget(10)).isFalse();
        assertThat(runNamed("follow_name", ownName(), PARENT)).isEqualTo(1);
        assertThat(isTarget(10)).isTrue();
    }

    @Test
    void processIsLeftWhenItGetsAnotherName() throws Exception {
        runNamed("follow_process", "", PARENT);
        assertThat(isTarget(10)).isTrue();
        runNamed("leave_name", ownName(), PARENT);
        assertThat(isTarget(10)).isTrue();
        runNamed("leave_name", "no such name", PARENT);
        assertThat(isTarget(10)).isFalse();
        runNamed("leave_name", "no such name", PARENT);
    }

    @Test
    void childrenBeyondTheMapAreStillRecorded() {
        for (int i = 0; i < MAX_TARGETS + 2; i++) {
            assertThat(run("follow_every_child", PARENT, TestSamples.ids(20 + i, 20 + i), UNREADABLE))
                    .isEqualTo(1);
        }
    }

    @Test
    void forkHasTheChild() throws Exception {
        tasks.name(TASK, "worker");
        long beforeNs = ClockReading.monotonicNowNs();
        run("record_fork", PARENT, 20L << Integer.SIZE | 0xffff_ffffL, tasks.address(TASK));
        ByteBuffer sample = onlySample(RecordType.FORK);
        assertThat(sample.getLong(EventLayout.TIMESTAMP_OFFSET)).isBetween(beforeNs, ClockReading.monotonicNowNs());
        assertThat(first(sample)).isEqualTo(-1);
        assertThat(second(sample)).isEqualTo(20);
        assertThat(comm(sample)).isEqualTo("worker");
    }

    @Test
    void execHasTheTidBeforeAndTheUser() throws Exception {
        run("record_exec", PARENT, 0xabcd_0000_0000L | 4711);
        ByteBuffer sample = onlySample(RecordType.EXEC);
        assertThat(first(sample)).isEqualTo(4711);
        assertThat(second(sample)).isEqualTo(Files.getAttribute(Path.of("/proc/thread-self"), "unix:uid"));
        assertThat(comm(sample)).isEqualTo(ownName());
    }

    @Test
    void endOfTheLastThreadIsTheEndOfItsProcess() throws Exception {
        tasks.put(TASK, "task_struct.exit_code", -1);
        tasks.put(TASK, "task_struct.signal", tasks.address(SIGNAL));
        for (int live : new int[] {0, 1, -1}) {
            tasks.put(SIGNAL, "signal_struct.live.counter", live);
            run("record_exit", PARENT, tasks.address(TASK));
            ByteBuffer sample = onlySample(RecordType.EXIT);
            assertThat(first(sample)).isEqualTo(-1);
            assertThat(second(sample)).as("live %d", live).isEqualTo(live == 0 ? 1 : 0);
            assertThat(comm(sample)).isEqualTo(ownName());
        }
    }

    @Test
    void renameHasTheNewName() throws Exception {
        for (String name : List.of("new name", "", "0123456789abcdefgh")) {
            tasks.text(SIGNAL, name);
            run("record_rename", PARENT, tasks.address(SIGNAL));
            ByteBuffer sample = onlySample(RecordType.RENAME);
            assertThat(comm(sample)).isEqualTo(name.length() > 15 ? name.substring(0, 15) : name);
            assertThat(sample.getLong(TaskLifecycleLayout.FIRST_OFFSET)).isZero();
        }
    }

    @Test
    void whatCannotBeReadIsZero() {
        run("record_fork", PARENT, CHILD, UNREADABLE);
        assertThat(comm(onlySample(RecordType.FORK))).isEmpty();
        run("record_rename", PARENT, UNREADABLE);
        assertThat(comm(onlySample(RecordType.RENAME))).isEmpty();
        run("record_exit", PARENT, -1);
        ByteBuffer sample = onlySample(RecordType.EXIT);
        assertThat(first(sample)).isZero();
        assertThat(second(sample)).isEqualTo(1);
    }

    @Test
    void samplesBeyondTheRingAreCountedAsLost() {
        for (int i = 0; i < 200; i++) {
            run("record_exec", PARENT, 1);
        }
        int recorded = TestSamples.read(ring).size();
        assertThat(recorded).isPositive();
        assertThat(objects.map(MapNames.LOSSES).sumOfLongs(LossIndex.of(0, LossReason.RING_FULL)))
                .isEqualTo(200 - recorded);
    }
}
