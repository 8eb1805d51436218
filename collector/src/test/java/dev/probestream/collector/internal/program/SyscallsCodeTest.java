package dev.probestream.collector.internal.program;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R4;
import static dev.probestream.bpf.asm.Register.R5;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.RegisterTable;
import dev.probestream.bpf.asm.Width;
import dev.probestream.bpf.internal.NativeMemory;
import dev.probestream.bpf.kernel.AttachType;
import dev.probestream.bpf.kernel.BpfMap;
import dev.probestream.bpf.kernel.BpfObjects;
import dev.probestream.bpf.kernel.MapSpec;
import dev.probestream.bpf.kernel.ObjectsSpec;
import dev.probestream.bpf.kernel.ProgramSpec;
import dev.probestream.bpf.kernel.ProgramType;
import dev.probestream.bpf.kernel.TestRun;
import dev.probestream.bpf.machine.ClockReading;
import dev.probestream.collector.internal.program.layout.ArgumentSlot;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.LossIndex;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.layout.StackDepths;
import dev.probestream.collector.internal.program.layout.SumLayout;
import dev.probestream.collector.internal.program.layout.SyscallLayout;
import dev.probestream.collector.internal.program.layout.SyscallProbes;
import dev.probestream.collector.internal.program.layout.SyscallTexts;
import dev.probestream.schema.record.LossReason;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The functions of syscalls.bpf.c, run by the kernel (BPF_PROG_TEST_RUN): system calls that nothing has made. */
@KernelTest(since = "5.10")
class SyscallsCodeTest {
    private static final int FIRST = 7;
    private static final int LAST = FIRST + SyscallProbes.COUNT - 1;
    private static final int NUMBER = 42;
    private static final int PROBE = FIRST + NUMBER;
    private static final int MAX_THREADS = 4;
    private static final int MAX_SUMS = 4;
    private static final int TAG = 77;
    private static final int TID = 11;
    private static final int TGID = 10;
    private static final long THREAD = ids(TID);
    private static final long NO_LIMIT = -1;

    // asm-generic/errno.h, linux/errno.h
    private static final long ENOENT = 2;
    private static final long EINTR = 4;
    private static final long EAGAIN = 11;
    private static final long ERESTARTSYS = 512;
    private static final long ERESTART_RESTARTBLOCK = 516;
    private static final long MAX_ERRNO = 4095;

    /** An array whose value is memory of the kernel, like a struct pt_regs. */
    private static final String REGISTERS = "registers";

    private static final String END = "end";
    private static final String[] SAMPLES = {"sample_0", "sample_1", "sample_2"};

    private static final SyscallLayout LAYOUT = new SyscallLayout(RegisterTable.X86_64, StackDepths.NONE);

    private BpfObjects objects;
    private final List<NativeMemory> memory = new ArrayList<>();

    @BeforeEach
    void load() {
        load(true);
    }

    /** The entries of threads are longer where calls are summed. */
    private void load(boolean isSummed) {
        List<ProgramSpec> programs = new ArrayList<>();
        String summed = isSummed ? "_summed" : "";
        programs.add(program("begin", begin("begin" + summed + "_syscall", true)));
        programs.add(program("begin_blind", begin("begin" + summed + "_syscall", false)));
        programs.add(program("end", end("end" + summed + "_syscall", isSummed)));
        programs.add(program("end_thread", endWithThread("end" + summed + "_syscall_with_thread", isSummed)));
        List<MapSpec> maps = new ArrayList<>(List.of(
                MapSpec.hash(
                        MapNames.OPEN_SYSCALLS,
                        Integer.BYTES,
                        isSummed ? SyscallLayout.THREAD_SIZE_BYTES : SyscallLayout.ENTRY_SIZE_BYTES,
                        MAX_THREADS),
                MapSpec.array(MapNames.SYSCALL_TEXTS, Integer.BYTES, SyscallProbes.COUNT),
                MapSpec.hash(MapNames.SYSCALL_SUMS, SumLayout.KEY_SIZE_BYTES, SumLayout.SIZE_BYTES, MAX_SUMS),
                MapSpec.array(MapNames.SYSCALL_REST, SumLayout.SIZE_BYTES, SyscallProbes.COUNT),
                MapSpec.array(MapNames.SYSCALL_LIMIT, Long.BYTES, 1),
                MapSpec.array(MapNames.SUM_INTERVAL, Integer.BYTES, 1),
                MapSpec.perCpuArray(MapNames.HITS, Long.BYTES, LAST + 1),
                MapSpec.perCpuArray(MapNames.LOSSES, Long.BYTES, LossIndex.count(LAST)),
                MapSpec.array(REGISTERS, 256, 1),
                MapSpec.array(END, SyscallLayout.END_SIZE_BYTES, 1)));
        for (int texts = 0; texts <= SyscallLayout.MAX_TEXTS; texts++) {
            programs.add(program("write_" + texts, write(texts)));
            maps.add(MapSpec.array(SAMPLES[texts], LAYOUT.sizeBytes(texts), 1));
        }
        if (objects != null) {
            objects.close();
        }
        objects = FunctionsInC.link(new ObjectsSpec(maps, programs)).load();
        limit(NO_LIMIT);
        put(MapNames.SUM_INTERVAL, BpfMap.key(0), BpfMap.key(1));
    }

    @AfterEach
    void unload() {
        objects.close();
    }

    private static ProgramSpec program(String name, Assembler assembler) {
        return new ProgramSpec(name, ProgramType.RAW_TRACEPOINT, AttachType.NONE, 0, 0, assembler.assemble());
    }

    /** The context is the number of the call, and the ids of the thread. */
    private static Assembler begin(String function, boolean isReadable) {
        Assembler assembler = new Assembler();
        int context = assembler.stackSlot(2 * Long.BYTES);
        int thread = assembler.stackSlot(Long.BYTES);
        copy(assembler, 0, context + Long.BYTES);
        copy(assembler, Long.BYTES, thread);
        if (isReadable) {
            assembler.loadMapValue(R2, REGISTERS);
        } else {
            assembler.mov(R2, 0);
        }
        assembler.store(Width.DOUBLE_WORD, R10, context, R2);
        assembler.mov(R1, R10).add(R1, context).mov(R2, R10).add(R2, thread);
        assembler.mov(R3, FIRST).mov(R4, LAYOUT.firstRegisterOffset());
        return assembler.callFunction(function, 160).mov(R0, 0).exit();
    }

    /** The context is that of sys_exit, then the ids of the thread. Its result is whether the end is an event. */
    private static Assembler end(String function, boolean isSummed) {
        Assembler assembler = new Assembler();
        int thread = assembler.stackSlot(Long.BYTES);
        copy(assembler, 2 * Long.BYTES, thread);
        assembler.mov(R2, R10).add(R2, thread).mov(R3, FIRST).loadMapValue(R4, END);
        if (isSummed) {
            assembler.loadMapValue(R5, MapNames.SUM_INTERVAL);
        }
        return isEvent(assembler, function);
    }

    /** The context is the ids of the thread. */
    private static Assembler endWithThread(String function, boolean isSummed) {
        Assembler assembler = new Assembler();
        int thread = assembler.stackSlot(Long.BYTES);
        copy(assembler, 0, thread);
        assembler.mov(R1, R10).add(R1, thread);
        if (isSummed) {
            assembler.mov(R2, FIRST).loadMapValue(R3, END).loadMapValue(R4, MapNames.SUM_INTERVAL);
        } else {
            assembler.loadMapValue(R2, END);
        }
        return isEvent(assembler, function);
    }

    /** What is returned is the entry, whose probe is the result, or 0. */
    private static Assembler isEvent(Assembler assembler, String function) {
        Label no = assembler.newLabel();
        assembler.callFunction(function, 224).jumpIf(Condition.EQUAL, R0, 0, no);
        assembler.load(Width.WORD, R0, R0, EventLayout.PROBE_ID_OFFSET);
        return assembler.bind(no).exit();
    }

    /** The context is the tid of the open entry. */
    private static Assembler write(int texts) {
        Assembler assembler = new Assembler();
        Label none = assembler.newLabel();
        int tid = assembler.stackSlot(Long.BYTES);
        copy(assembler, 0, tid);
        assembler.loadMap(R1, MapNames.OPEN_SYSCALLS).mov(R2, R10).add(R2, tid).call(Helper.MAP_LOOKUP_ELEM);
        assembler.jumpIf(Condition.EQUAL, R0, 0, none).mov(R2, R0);
        assembler.loadMapValue(R1, SAMPLES[texts]).loadMapValue(R3, END).mov(R4, texts);
        return assembler.callFunction("write_syscall", 32).bind(none).mov(R0, 0).exit();
    }

    /** Copies 8 bytes of the context to the stack; loses R2. */
    private static void copy(Assembler assembler, int contextOffset, int slot) {
        assembler.load(Width.DOUBLE_WORD, R2, R1, contextOffset).store(Width.DOUBLE_WORD, R10, slot, R2);
    }

    private static long ids(int tid) {
        return (long) TGID << Integer.SIZE | tid;
    }

    private int run(String program, long... context) {
        return TestRun.run(objects.program(program), context);
    }

    private boolean isEvent(long result) {
        int probe = run("end", 0, result, THREAD);
        assertThat(probe).isIn(0, PROBE);
        return probe != 0;
    }

    private void put(String map, ByteBuffer key, ByteBuffer value) {
        objects.map(map).update(key, value);
    }

    private void limit(long limitNs) {
        put(MapNames.SYSCALL_LIMIT, BpfMap.key(0), buffer(Long.BYTES).putLong(0, limitNs));
    }

    private void texts(int encoded) {
        put(MapNames.SYSCALL_TEXTS, BpfMap.key(NUMBER), BpfMap.key(encoded));
    }

    private static ByteBuffer buffer(int sizeBytes) {
        return ByteBuffer.allocate(sizeBytes).order(ByteOrder.nativeOrder());
    }

    private ByteBuffer value(String map) {
        return objects.map(map).lookup(BpfMap.key(0)).orElseThrow().order(ByteOrder.nativeOrder());
    }

    private Optional<ByteBuffer> entry(int tid) {
        return objects.map(MapNames.OPEN_SYSCALLS)
                .lookup(BpfMap.key(tid))
                .map(value -> value.order(ByteOrder.nativeOrder()));
    }

    private long startNs() {
        return entry(TID).orElseThrow().getLong(EventLayout.TIMESTAMP_OFFSET);
    }

    /** A thread is in a call since a moment; words of its registers. */
    private void open(long sinceNs, long... registers) {
        openOf(TID, PROBE, sinceNs, registers);
    }

    private void openOf(int tid, int probe, long sinceNs, long... registers) {
        ByteBuffer entry = buffer(objects.map(MapNames.OPEN_SYSCALLS).spec().valueSizeBytes())
                .putLong(EventLayout.TIMESTAMP_OFFSET, sinceNs)
                .putLong(EventLayout.TID_OFFSET, ids(tid))
                .putInt(EventLayout.PROBE_ID_OFFSET, probe)
                .putLong(EventLayout.DURATION_OFFSET, -1);
        for (int i = 0; i < registers.length; i++) {
            entry.putLong(EventLayout.HEADER_SIZE_BYTES + Long.BYTES * i, registers[i]);
        }
        if (entry.capacity() > SyscallLayout.THREAD_TAG_OFFSET) {
            entry.putInt(SyscallLayout.THREAD_TAG_OFFSET, TAG);
        }
        put(MapNames.OPEN_SYSCALLS, BpfMap.key(tid), entry);
    }

    private long durationNs() {
        return value(END).getLong(0);
    }

    private long hits(int probe) {
        return objects.map(MapNames.HITS).sumOfLongs(probe);
    }

    private long lost(int probe, LossReason reason) {
        return objects.map(MapNames.LOSSES).sumOfLongs(LossIndex.of(probe, reason));
    }

    private Optional<Sum> sum(int tid) {
        return Sum.read(objects.map(MapNames.SYSCALL_SUMS), Sum.key(tid, PROBE, TAG));
    }

    private Sum rest(int number) {
        return Sum.read(objects.map(MapNames.SYSCALL_REST), BpfMap.key(number)).orElseThrow();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void callIsInTheEntryOfItsThread(boolean isSummed) {
        load(isSummed);
        ByteBuffer registers = buffer(256);
        for (int i = 0; i < SyscallLayout.REGISTERS_SIZE_BYTES; i++) {
            registers.put(LAYOUT.firstRegisterOffset() + i, (byte) (i + 1));
        }
        put(REGISTERS, BpfMap.key(0), registers);
        long beforeNs = ClockReading.monotonicNowNs();
        run("begin", NUMBER, THREAD);
        long afterNs = ClockReading.monotonicNowNs();

        ByteBuffer entry = entry(TID).orElseThrow();
        assertThat(entry.getLong(EventLayout.TIMESTAMP_OFFSET)).isBetween(beforeNs, afterNs);
        assertThat(entry.getLong(EventLayout.TID_OFFSET)).isEqualTo(THREAD);
        assertThat(entry.getInt(EventLayout.PROBE_ID_OFFSET)).isEqualTo(PROBE);
        assertThat(entry.getShort(EventLayout.RECORD_TYPE_OFFSET)).isZero();
        assertThat(entry.getLong(EventLayout.DURATION_OFFSET)).isEqualTo(-1);
        assertThat(entry.getLong(EventLayout.UNAVAILABLE_OFFSET)).isZero();
        for (int i = 0; i < SyscallLayout.REGISTERS_SIZE_BYTES; i++) {
            assertThat(entry.get(EventLayout.HEADER_SIZE_BYTES + i)).isEqualTo((byte) (i + 1));
        }
        if (isSummed) {
            assertThat(entry.getInt(SyscallLayout.THREAD_TAG_OFFSET))
                    .isBetween((int) (beforeNs >> 20), (int) (afterNs >> 20));
        }
        run("begin_blind", NUMBER, ids(12));
        assertThat(entry(12).orElseThrow().getLong(EventLayout.HEADER_SIZE_BYTES))
                .as("not to be read")
                .isZero();
        assertThat(hits(PROBE)).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void numbersBeyondTheTableShareTheLastProbe(boolean isSummed) {
        load(isSummed);
        run("begin", NUMBER, THREAD);
        for (long number :
                new long[] {SyscallProbes.COUNT - 1, SyscallProbes.COUNT, 0x4000_0000L, -1, Long.MIN_VALUE}) {
            run("begin", number, THREAD);
            assertThat(entry(TID).orElseThrow().getInt(EventLayout.PROBE_ID_OFFSET))
                    .as("%x", number)
                    .isEqualTo(LAST);
        }
        run("begin", SyscallProbes.COUNT - 2, THREAD);
        assertThat(entry(TID).orElseThrow().getInt(EventLayout.PROBE_ID_OFFSET)).isEqualTo(LAST - 1);
        assertThat(hits(LAST)).isEqualTo(5);
        assertThat(lost(LAST, LossReason.RETURN_NOT_SEEN)).isEqualTo(5);
        assertThat(lost(LAST - 1, LossReason.RETURN_NOT_SEEN)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void returnFromAProbeIsNoCall(boolean isSummed) {
        load(isSummed);
        run("begin", 335, THREAD);
        run("begin", 336, THREAD);
        assertThat(entry(TID)).isEmpty();
        run("begin", 334, THREAD);
        run("begin", 337, ids(12));
        assertThat(entry(TID)).isPresent();
        assertThat(entry(12)).isPresent();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void threadsBeyondTheMapAreCountedAsLost(boolean isSummed) {
        load(isSummed);
        for (int i = 0; i < MAX_THREADS + 3; i++) {
            run("begin", NUMBER, ids(100 + i));
        }
        assertThat(entry(100)).isPresent();
        assertThat(entry(100 + MAX_THREADS)).isEmpty();
        assertThat(lost(PROBE, LossReason.TOO_MANY_OPEN_SPANS)).isEqualTo(3);
        assertThat(hits(PROBE)).isEqualTo(MAX_THREADS + 3);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void returnWithoutAnEntryIsIgnored(boolean isSummed) {
        load(isSummed);
        assertThat(isEvent(-ENOENT)).isFalse();
        assertThat(run("end_thread", THREAD)).isZero();
        assertThat(entry(TID)).isEmpty();
    }

    @Test
    void everyEndOfACallIsAnEvent() {
        load(false);
        texts(0x0005_0006);
        long nowNs = ClockReading.monotonicNowNs();
        open(nowNs - 1_000_000);
        assertThat(isEvent(17)).isTrue();
        assertThat(durationNs()).isBetween(1_000_000L, 100_000_000_000L);
        assertThat(value(END).getLong(8)).isEqualTo(17);
        assertThat(value(END).getLong(16)).isZero();
        assertThat(value(END).getInt(SyscallLayout.END_TEXTS_OFFSET)).isEqualTo(0x0005_0006);
        assertThat(value(END).getInt(SyscallLayout.END_PROBE_ID_OFFSET)).isEqualTo(PROBE);

        assertThat(run("end_thread", THREAD)).isEqualTo(PROBE);
        assertThat(value(END).getLong(8)).isZero();
        assertThat(value(END).getLong(16)).isEqualTo(EventLayout.RETURN_UNAVAILABLE);
        assertThat(value(END).getInt(SyscallLayout.END_TEXTS_OFFSET)).isZero();
    }

    @Test
    void summedCallIsAnEventIfItLastsFailsOrIsRare() {
        limit(8_000_000_000L);
        long nowNs = ClockReading.monotonicNowNs();
        open(nowNs);
        assertThat(isEvent(0)).isFalse();
        assertThat(startNs()).as("its thread is in none any more").isZero();
        assertThat(isEvent(-ENOENT)).as("a second end").isFalse();

        open(nowNs - 8_000_000_000L);
        assertThat(isEvent(0)).as("long").isTrue();
        assertThat(startNs()).as("the program clears it behind the sample").isNotZero();
        open(nowNs + 1_000_000_000_000L);
        assertThat(isEvent(0)).as("longer than there is time").isTrue();

        texts(SyscallTexts.RARE);
        open(nowNs);
        assertThat(isEvent(0)).as("rare").isTrue();
        texts(0);

        for (long error : new long[] {1, ENOENT, 511, 517, MAX_ERRNO}) {
            open(nowNs);
            assertThat(isEvent(-error)).as("error %d", error).isTrue();
        }
        for (long result : new long[] {
            1,
            Long.MAX_VALUE,
            Long.MIN_VALUE,
            -MAX_ERRNO - 1,
            -EINTR,
            -EAGAIN,
            -ERESTARTSYS,
            -514,
            -ERESTART_RESTARTBLOCK
        }) {
            open(nowNs);
            assertThat(isEvent(result)).as("result %d", result).isFalse();
        }
        assertThat(sum(TID).orElseThrow().failed()).as("all errors").isEqualTo(5 + 5);
    }

    @Test
    void sumsAreThoseOfPlainJava() {
        Random random = new Random(19);
        texts(SyscallTexts.RARE);
        Sum expected = Sum.none(TGID);
        for (int i = 0; i < 500; i++) {
            int interval = 1 + i / 50;
            put(MapNames.SUM_INTERVAL, BpfMap.key(0), BpfMap.key(interval));
            long agoNs = random.nextLong() >>> random.nextInt(Long.SIZE);
            long result = random.nextInt(3) == 0 ? -1 - random.nextInt(5000) : random.nextLong();
            boolean isEndOfThread = random.nextInt(8) == 0;
            long nowNs = ClockReading.monotonicNowNs();
            open(nowNs == agoNs ? 1 : nowNs - agoNs);
            assertThat(isEndOfThread ? run("end_thread", THREAD) : run("end", 0, result, THREAD))
                    .isEqualTo(PROBE);
            boolean hasFailed = !isEndOfThread && result < 0 && result >= -MAX_ERRNO;
            expected = expected.plus(durationNs(), hasFailed, interval);
            assertThat(sum(TID)).as("call %d", i).contains(expected);
        }
        assertThat(expected.durations()).filteredOn(count -> count > 0).hasSizeGreaterThan(15);
        assertThat(expected.failed()).isGreaterThan(50);
    }

    @Test
    void threadsThatFindNoRoomShareTheRestOfTheirCall() {
        texts(SyscallTexts.RARE);
        Sum expected = Sum.none(0);
        for (int i = 0; i < MAX_SUMS + 5; i++) {
            openOf(100 + i % MAX_THREADS, PROBE, ClockReading.monotonicNowNs() - (1L << (3 * i)));
            ByteBuffer entry = entry(100 + i % MAX_THREADS).orElseThrow();
            put(
                    MapNames.OPEN_SYSCALLS,
                    BpfMap.key(100 + i % MAX_THREADS),
                    entry.putInt(SyscallLayout.THREAD_TAG_OFFSET, i));
            long result = i % 2 == 0 ? 0 : -ENOENT;
            assertThat(run("end", 0, result, ids(100 + i % MAX_THREADS))).isEqualTo(PROBE);
            if (i >= MAX_SUMS) {
                expected = expected.plus(durationNs(), result != 0, 1);
            }
        }
        assertThat(rest(NUMBER)).isEqualTo(expected);
        assertThat(rest(NUMBER + 1)).isEqualTo(Sum.none(0));
    }

    @Test
    void callsBeyondTheTableHaveTheLastRest() {
        for (int i = 0; i <= MAX_SUMS; i++) {
            openOf(TID, FIRST + i, 1);
            run("end", 0, 0, THREAD);
        }
        openOf(TID, LAST, 1);
        run("end", 0, 0, THREAD);
        assertThat(rest(SyscallProbes.COUNT - 1).durations().get(SumLayout.DURATION_COUNT - 1))
                .isEqualTo(1);
    }

    @Test
    void threadThatIsInNoCallLosesItsEntryAtItsEnd() {
        open(0);
        assertThat(run("end_thread", THREAD)).isZero();
        assertThat(entry(TID)).isEmpty();
        assertThat(sum(TID)).isEmpty();
    }

    private void end(long result, long unavailable, int texts) {
        put(
                END,
                BpfMap.key(0),
                buffer(SyscallLayout.END_SIZE_BYTES)
                        .putLong(0, 1234)
                        .putLong(8, result)
                        .putLong(16, unavailable)
                        .putInt(SyscallLayout.END_TEXTS_OFFSET, texts)
                        .putInt(SyscallLayout.END_PROBE_ID_OFFSET, PROBE));
    }

    private long address(String text) {
        byte[] bytes = Arrays.copyOf(text.getBytes(StandardCharsets.UTF_8), text.length() + 1);
        NativeMemory there = NativeMemory.ofBytes(bytes);
        memory.add(there);
        return there.lend(address -> address);
    }

    private static String text(ByteBuffer sample, int index) {
        int offset = LAYOUT.textSlot(index).offset();
        byte[] bytes = new byte[sample.getInt(offset)];
        sample.get(offset + ArgumentSlot.TEXT_OFFSET, bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** Texts are arguments 1 and 3, whose pointers are in words 0 and 5 of the registers. */
    private static int encoded(int flags) {
        int firstWord = EventLayout.HEADER_SIZE_BYTES / Long.BYTES;
        return flags | firstWord | (firstWord + 5) << 8 | 1 << 16 | 3 << 20;
    }

    @Test
    void sampleIsTheEntryWithItsEndAndTexts() {
        String longText = "x".repeat(1000);
        open(5, address("/etc/passwd"), 0, 0, 0, 0, address(longText));
        for (int texts = 0; texts <= SyscallLayout.MAX_TEXTS; texts++) {
            end(-ENOENT, 0, encoded(0));
            run("write_" + texts, TID);
            ByteBuffer sample = value(SAMPLES[texts]);
            assertThat(sample.getLong(EventLayout.TIMESTAMP_OFFSET)).isEqualTo(5);
            assertThat(sample.getLong(EventLayout.TID_OFFSET)).isEqualTo(THREAD);
            assertThat(sample.getInt(EventLayout.PROBE_ID_OFFSET)).isEqualTo(PROBE);
            assertThat(sample.getLong(EventLayout.DURATION_OFFSET)).isEqualTo(1234);
            assertThat(sample.getLong(EventLayout.UNAVAILABLE_OFFSET)).isZero();
            assertThat(sample.getLong(SyscallLayout.RETURN_OFFSET)).isEqualTo(-ENOENT);
            assertThat(sample.slice(40, 64)).isEqualTo(entry(TID).orElseThrow().slice(40, 64));
        }
        ByteBuffer sample = value(SAMPLES[2]);
        assertThat(text(sample, 0)).isEqualTo("/etc/passwd\0");
        int readBytes = SyscallTexts.CAPACITY_BYTES + 2;
        assertThat(text(sample, 1)).isEqualTo(longText.substring(0, readBytes - 1) + "\0");
    }

    @Test
    void textThatCannotBeReadIsABitOfItsArgument() {
        open(5, 8, 0, 0, 0, 0, address("there"));
        end(0, EventLayout.RETURN_UNAVAILABLE, encoded(0));
        run("write_2", TID);
        ByteBuffer sample = value(SAMPLES[2]);
        assertThat(text(sample, 0)).isEmpty();
        assertThat(text(sample, 1)).isEqualTo("there\0");
        assertThat(sample.getLong(EventLayout.UNAVAILABLE_OFFSET)).isEqualTo(EventLayout.RETURN_UNAVAILABLE | 0b10);
    }

    @Test
    void textsOfAProgramThatWasReplacedAreGone() {
        open(5, address("/bin/true"), 0, 0, 0, 0, address("there"));
        end(0, 0, encoded(SyscallTexts.GONE_ON_SUCCESS));
        run("write_2", TID);
        assertThat(value(SAMPLES[2]).getLong(EventLayout.UNAVAILABLE_OFFSET)).isEqualTo(0b1010);
        end(-ENOENT, 0, encoded(SyscallTexts.GONE_ON_SUCCESS));
        run("write_2", TID);
        assertThat(text(value(SAMPLES[2]), 0)).isEqualTo("/bin/true\0");
    }

    @Test
    void pointerOutsideOfTheEntryIsNotFollowed() {
        for (int word : new int[] {SyscallLayout.ENTRY_SIZE_BYTES / Long.BYTES, 0xff}) {
            open(5, address("there"));
            end(-ENOENT, 0, word | 2 << 16);
            run("write_1", TID);
            assertThat(text(value(SAMPLES[1]), 0)).isEmpty();
            assertThat(value(SAMPLES[1]).getLong(EventLayout.UNAVAILABLE_OFFSET))
                    .isEqualTo(0b100);
        }
    }
}
