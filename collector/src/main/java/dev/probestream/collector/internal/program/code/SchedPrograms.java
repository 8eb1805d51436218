package dev.probestream.collector.internal.program.code;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R4;
import static dev.probestream.bpf.asm.Register.R5;
import static dev.probestream.bpf.asm.Register.R6;
import static dev.probestream.bpf.asm.Register.R7;
import static dev.probestream.bpf.asm.Register.R9;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.RegisterTable;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.StackDepths;
import dev.probestream.collector.internal.program.layout.StackRoom;
import dev.probestream.collector.internal.program.layout.SwitchLayout;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.collector.internal.program.options.TaskOffsets;
import dev.probestream.collector.internal.program.snippet.Fragments;
import dev.probestream.collector.internal.program.snippet.StackCode;
import dev.probestream.collector.probe.ArgumentSource;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ArgumentType;
import dev.probestream.collector.probe.ArgumentType.Form;
import dev.probestream.schema.SwitchEvent;
import dev.probestream.schema.WakingEvent;
import dev.probestream.schema.record.EventKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Writes the programs of context switches and wake-ups (raw tracepoints sched_switch and sched_waking). A hit is
 * recorded when a recorded process is on either side; what is recorded is in C (src/main/bpf/sched_events.bpf.c). Stacks are
 * those of recorded threads that leave their cpu to wait.
 */
public final class SchedPrograms {
    /** Of each function. */
    private static final int CALLED_STACK_BYTES = 32;

    private static final int NEXT_OFFSET_IN_CONTEXT = 16;

    /** Of struct switch_threads. */
    private static final int SAMPLE_OFFSET_IN_THREADS = 2 * Long.BYTES;

    private static final int THREADS_SIZE_BYTES = SAMPLE_OFFSET_IN_THREADS + Long.BYTES;

    private final RegisterTable registers;
    private final TargetFilter filter;
    private final TaskOffsets offsets;

    public SchedPrograms(RegisterTable registers, TargetFilter filter, TaskOffsets offsets) {
        this.registers = registers;
        this.filter = filter;
        this.offsets = offsets;
    }

    /** What a SWITCH records, in the order of the Avro schema. */
    public static List<ArgumentSpec> switchArguments() {
        return arguments(SwitchEvent.NUMBERS, SwitchEvent.STRINGS);
    }

    /** What a WAKING records, in the order of the Avro schema. */
    public static List<ArgumentSpec> wakingArguments() {
        return arguments(WakingEvent.NUMBERS, WakingEvent.STRINGS);
    }

    /** The layout of a switch: only its kind, its size and its stacks count, the rest is {@link SwitchLayout}. */
    public static EventLayout switchLayout(StackDepths depths) {
        StackRoom stacks = new StackRoom(SwitchLayout.STACKS_OFFSET, depths);
        int sizeBytes = SwitchLayout.STACKS_OFFSET + stacks.sizeBytes();
        return new EventLayout(EventKind.SWITCH, List.of(), SwitchLayout.STACKS_OFFSET, -1, stacks, sizeBytes);
    }

    public static EventLayout wakingLayout() {
        return EventLayout.of(EventKind.WAKING, wakingArguments(), Optional.empty(), StackDepths.NONE);
    }

    /** sched_switch(bool preempt, task_struct *previous, task_struct *next[, unsigned int previousState]). */
    public List<Instruction> switchProgram(int probeId, EventLayout layout) {
        Assembler assembler = new Assembler();
        Fragments fragments = new Fragments(assembler, filter);
        Label nextMaybe = assembler.newLabel();
        Label ours = assembler.newLabel();
        Label unrecorded = assembler.newLabel();
        int threads = assembler.stackSlot(THREADS_SIZE_BYTES);
        int next = threads + Long.BYTES;
        int leavesSlot = stackSlot(assembler, layout);

        assembler.mov(R6, R1).load(Width.DOUBLE_WORD, R9, R6, NEXT_OFFSET_IN_CONTEXT);
        fragments.currentThread(threads);
        fragments.endedIds(threads);
        fragments.taskIds(next, R9, offsets);
        noteWhetherOursLeaves(assembler, layout, leavesSlot, 0);
        assembler.load(Width.DOUBLE_WORD, R0, R10, threads);
        fragments.rejectUntracedThread(threads, nextMaybe);
        noteWhetherOursLeaves(assembler, layout, leavesSlot, 1);
        assembler.jump(ours);
        assembler.bind(nextMaybe);
        fragments.rejectUntracedProcess(next + Integer.BYTES, unrecorded);
        assembler.bind(ours);
        assembler.mov(R1, R6).mov(R2, R10).add(R2, threads).mov(R3, probeId).mov(R4, layout.sizeBytes());
        assembler.mov(R5, offsets.switchPassesState() ? 1 : 0).callFunction("record_switch", CALLED_STACK_BYTES);
        assembler.jumpIf(Condition.EQUAL, R0, 0, unrecorded);
        assembler.load(Width.DOUBLE_WORD, R7, R10, threads + SAMPLE_OFFSET_IN_THREADS);
        stacksOfWaiting(assembler, layout.stacks(), leavesSlot);
        fragments.submit();
        assembler.bind(unrecorded);
        fragments.exit();
        return assembler.assemble();
    }

    /** The stack slot that holds whether the thread that leaves is traced; none when no stack is recorded. */
    private static int stackSlot(Assembler assembler, EventLayout layout) {
        return layout.stacks().isAny() ? assembler.stackSlot(Integer.BYTES) : 0;
    }

    private static void noteWhetherOursLeaves(Assembler assembler, EventLayout layout, int slot, int value) {
        if (layout.stacks().isAny()) {
            assembler.storeImmediate(Width.WORD, R10, slot, value);
        }
    }

    private void stacksOfWaiting(Assembler assembler, StackRoom stacks, int leavesSlot) {
        if (!stacks.isAny()) {
            return;
        }
        Label none = assembler.newLabel();
        Label done = assembler.newLabel();
        StackCode code = new StackCode(assembler, registers);
        assembler.load(Width.WORD, R1, R10, leavesSlot).jumpIf(Condition.EQUAL, R1, 0, none);
        assembler.mov(R1, R7).callFunction("leaves_to_wait", CALLED_STACK_BYTES);
        assembler.jumpIf(Condition.EQUAL, R0, 0, none);
        code.read(stacks);
        assembler.jump(done);
        assembler.bind(none);
        code.none(stacks);
        assembler.bind(done);
    }

    /** sched_waking(task_struct *woken); the running thread wakes it. */
    public List<Instruction> wakingProgram(int probeId) {
        Assembler assembler = new Assembler();
        Fragments fragments = new Fragments(assembler, filter);
        Label wokenMaybe = assembler.newLabel();
        Label ours = assembler.newLabel();
        Label unrecorded = assembler.newLabel();
        int woken = assembler.stackSlot(Long.BYTES);

        assembler.load(Width.DOUBLE_WORD, R9, R1, 0);
        int waker = fragments.currentThread();
        fragments.taskIds(woken, R9, offsets);
        assembler.load(Width.DOUBLE_WORD, R0, R10, waker);
        fragments.rejectUntracedThread(waker, wokenMaybe);
        assembler.jump(ours);
        assembler.bind(wokenMaybe);
        fragments.rejectUntracedProcess(woken + Integer.BYTES, unrecorded);
        assembler.bind(ours);
        assembler.mov(R1, R10).add(R1, waker).mov(R2, R10).add(R2, woken);
        assembler.mov(R3, R9).mov(R4, probeId).callFunction("record_waking", CALLED_STACK_BYTES);
        assembler.bind(unrecorded);
        fragments.exit();
        return assembler.assemble();
    }

    private static List<ArgumentSpec> arguments(List<String> numbers, List<String> texts) {
        List<ArgumentSpec> arguments = new ArrayList<>();
        numbers.forEach(name ->
                arguments.add(ArgumentSpec.of(name, ArgumentSource.field(name), ArgumentType.number(Form.S32))));
        texts.forEach(name -> arguments.add(ArgumentSpec.ofThreadName(name, SwitchLayout.COMM_SIZE_BYTES)));
        return arguments;
    }
}
