package dev.probestream.collector.internal.program;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R4;
import static dev.probestream.bpf.asm.Register.R5;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.RegisterTable;
import dev.probestream.bpf.asm.Width;
import dev.probestream.bpf.internal.NativeMemory;
import dev.probestream.bpf.kernel.BpfObjects;
import dev.probestream.bpf.kernel.ObjectsSpec;
import dev.probestream.bpf.kernel.ProgramSpec;
import dev.probestream.bpf.kernel.TestRun;
import dev.probestream.bpf.map.BpfMap;
import dev.probestream.bpf.map.MapSpec;
import dev.probestream.collector.internal.program.layout.ArgumentSlot;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.LossIndex;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.layout.StackDepths;
import dev.probestream.collector.internal.program.layout.SumLayout;
import dev.probestream.collector.internal.program.layout.SyscallLayout;
import dev.probestream.collector.internal.program.layout.SyscallProbes;
import dev.probestream.schema.record.LossReason;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** The functions of syscalls.bpf.c, loaded with maps, and what a test puts into these and reads from them. */
abstract class SyscallFunctions {
    static final int FIRST = 7;
    static final int LAST = FIRST + SyscallProbes.COUNT - 1;
    static final int NUMBER = 42;
    static final int PROBE = FIRST + NUMBER;
    static final int MAX_THREADS = 4;
    static final int MAX_SUMS = 4;
    static final int TAG = 77;
    static final int TID = 11;
    static final int TGID = 10;
    static final long THREAD = ids(TID);
    static final long NO_LIMIT = -1;

    // asm-generic/errno.h, linux/errno.h
    static final long ENOENT = 2;
    static final long EINTR = 4;
    static final long EAGAIN = 11;
    static final long ERESTARTSYS = 512;
    static final long ERESTART_RESTARTBLOCK = 516;
    static final long MAX_ERRNO = 4095;

    /** An array whose value is memory of the kernel, like a struct pt_regs. */
    static final String REGISTERS = "registers";

    static final String END = "end";
    static final String[] SAMPLES = {"sample_0", "sample_1", "sample_2"};

    static final SyscallLayout LAYOUT = new SyscallLayout(RegisterTable.X86_64, StackDepths.NONE);

    BpfObjects objects;
    final List<NativeMemory> memory = new ArrayList<>();

    @BeforeEach
    void load() {
        load(true);
    }

    /** The entries of threads are longer where calls are summed. */
    final void load(boolean isSummed) {
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

    static ProgramSpec program(String name, Assembler assembler) {
        return TestRun.spec(name, assembler);
    }

    /** The context is the number of the call, and the ids of the thread. */
    static Assembler begin(String function, boolean isReadable) {
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
    static Assembler end(String function, boolean isSummed) {
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
    static Assembler endWithThread(String function, boolean isSummed) {
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
    static Assembler isEvent(Assembler assembler, String function) {
        Label no = assembler.newLabel();
        assembler.callFunction(function, 224).jumpIf(Condition.EQUAL, R0, 0, no);
        assembler.load(Width.WORD, R0, R0, EventLayout.PROBE_ID_OFFSET);
        return assembler.bind(no).exit();
    }

    /** The context is the tid of the open entry. */
    static Assembler write(int texts) {
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
    static void copy(Assembler assembler, int contextOffset, int slot) {
        assembler.load(Width.DOUBLE_WORD, R2, R1, contextOffset).store(Width.DOUBLE_WORD, R10, slot, R2);
    }

    static long ids(int tid) {
        return (long) TGID << Integer.SIZE | tid;
    }

    int run(String program, long... context) {
        return TestRun.run(objects.program(program), context);
    }

    boolean isEvent(long result) {
        int probe = run("end", 0, result, THREAD);
        assertThat(probe).isIn(0, PROBE);
        return probe != 0;
    }

    void put(String map, ByteBuffer key, ByteBuffer value) {
        objects.map(map).update(key, value);
    }

    void limit(long limitNs) {
        put(MapNames.SYSCALL_LIMIT, BpfMap.key(0), buffer(Long.BYTES).putLong(0, limitNs));
    }

    void texts(int encoded) {
        put(MapNames.SYSCALL_TEXTS, BpfMap.key(NUMBER), BpfMap.key(encoded));
    }

    static ByteBuffer buffer(int sizeBytes) {
        return ByteBuffer.allocate(sizeBytes).order(ByteOrder.nativeOrder());
    }

    ByteBuffer value(String map) {
        return objects.map(map).lookup(BpfMap.key(0)).orElseThrow().order(ByteOrder.nativeOrder());
    }

    Optional<ByteBuffer> entry(int tid) {
        return objects.map(MapNames.OPEN_SYSCALLS)
                .lookup(BpfMap.key(tid))
                .map(value -> value.order(ByteOrder.nativeOrder()));
    }

    long startNs() {
        return entry(TID).orElseThrow().getLong(EventLayout.TIMESTAMP_OFFSET);
    }

    /** A thread is in a call since a moment; words of its registers. */
    void open(long sinceNs, long... registers) {
        openOf(TID, PROBE, sinceNs, registers);
    }

    void openOf(int tid, int probe, long sinceNs, long... registers) {
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

    long durationNs() {
        return value(END).getLong(0);
    }

    long hits(int probe) {
        return objects.map(MapNames.HITS).sumOfLongs(probe);
    }

    long lost(int probe, LossReason reason) {
        return objects.map(MapNames.LOSSES).sumOfLongs(LossIndex.of(probe, reason));
    }

    Optional<Sum> sum(int tid) {
        return Sum.read(objects.map(MapNames.SYSCALL_SUMS), Sum.key(tid, PROBE, TAG));
    }

    Sum rest(int number) {
        return Sum.read(objects.map(MapNames.SYSCALL_REST), BpfMap.key(number)).orElseThrow();
    }

    void end(long result, long unavailable, int texts) {
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

    long address(String text) {
        byte[] bytes = Arrays.copyOf(text.getBytes(StandardCharsets.UTF_8), text.length() + 1);
        NativeMemory there = NativeMemory.ofBytes(bytes);
        memory.add(there);
        return there.lend(address -> address);
    }

    static String text(ByteBuffer sample, int index) {
        int offset = LAYOUT.textSlot(index).offset();
        byte[] bytes = new byte[sample.getInt(offset)];
        sample.get(offset + ArgumentSlot.TEXT_OFFSET, bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** Texts are arguments 1 and 3, whose pointers are in words 0 and 5 of the registers. */
    static int encoded(int flags) {
        int firstWord = EventLayout.HEADER_SIZE_BYTES / Long.BYTES;
        return flags | firstWord | (firstWord + 5) << 8 | 1 << 16 | 3 << 20;
    }
}
