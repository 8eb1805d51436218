package dev.probestream.collector.internal.program.code;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R6;
import static dev.probestream.bpf.asm.Register.R7;
import static dev.probestream.bpf.asm.Register.R8;
import static dev.probestream.bpf.asm.Register.R9;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.RegisterTable;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.ArgumentSlot;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.RecordType;
import dev.probestream.collector.internal.program.layout.StackDepths;
import dev.probestream.collector.internal.program.layout.StackRoom;
import dev.probestream.collector.internal.program.layout.SwitchLayout;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.collector.internal.program.options.TaskOffsets;
import dev.probestream.collector.internal.program.snippet.Fragments;
import dev.probestream.collector.internal.program.snippet.ProbeNumber;
import dev.probestream.collector.internal.program.snippet.StackCode;
import dev.probestream.collector.internal.program.snippet.TaskCode;
import dev.probestream.collector.probe.ArgumentSource;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ArgumentType;
import dev.probestream.collector.probe.ArgumentType.Form;
import dev.probestream.schema.SwitchEvent;
import dev.probestream.schema.WakingEvent;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.LossReason;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Writes the programs of context switches and wake-ups (raw tracepoints sched_switch and sched_waking). A hit is
 * recorded when a recorded process is on either side. Stacks are those of recorded threads that leave their cpu to wait.
 */
public final class SchedPrograms {
    /** TASK_DEAD of linux/sched.h: the exit state has more detail. */
    private static final int TASK_DEAD = 0x80;

    private static final int NEXT_OFFSET_IN_CONTEXT = 16;
    private static final int STATE_OFFSET_IN_CONTEXT = 24;

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
        TaskCode tasks = new TaskCode(assembler, filter, offsets);
        ProbeNumber probe = ProbeNumber.constant(assembler, probeId);
        Label nextMaybe = assembler.newLabel();
        Label ours = assembler.newLabel();
        Label untraced = assembler.newLabel();
        Label full = assembler.newLabel();
        int keySlot = assembler.stackSlot(Integer.BYTES);
        int idsSlot = assembler.stackSlot(Long.BYTES);

        assembler.mov(R6, R1).load(Width.DOUBLE_WORD, R9, R6, NEXT_OFFSET_IN_CONTEXT);
        int thread = fragments.currentThread();
        tasks.endedIds(thread);
        tasks.ids(idsSlot, R9);
        int leavesSlot = stackSlot(assembler, layout);
        noteWhetherOursLeaves(assembler, layout, leavesSlot, 0);
        assembler.load(Width.DOUBLE_WORD, R0, R10, thread);
        fragments.rejectUntracedThread(thread, nextMaybe);
        noteWhetherOursLeaves(assembler, layout, leavesSlot, 1);
        assembler.jump(ours);
        assembler.bind(nextMaybe);
        fragments.rejectUntracedProcess(idsSlot + Integer.BYTES, untraced);
        assembler.bind(ours);
        fragments.countHit(probe, keySlot);
        fragments.reserve(layout.sizeBytes(), full);
        fragments.header(thread, RecordType.SWITCH, probe);
        assembler.storeImmediate(Width.DOUBLE_WORD, R7, EventLayout.UNAVAILABLE_OFFSET, 0);
        previous(assembler, tasks);
        assembler.load(Width.DOUBLE_WORD, R1, R10, idsSlot);
        assembler.store(Width.DOUBLE_WORD, R7, SwitchLayout.NEXT_TID_OFFSET, R1);
        tasks.priority(R7, SwitchLayout.NEXT_PRIORITY_OFFSET, R9);
        tasks.comm(R7, SwitchLayout.NEXT_COMM_OFFSET, R9);
        stacksOfWaiting(assembler, layout.stacks(), leavesSlot);
        end(assembler, fragments, probe, untraced, full, keySlot);
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

    /** Only for a traced thread that waits: the stack of a preempted or ending thread explains nothing. */
    private void stacksOfWaiting(Assembler assembler, StackRoom stacks, int leavesSlot) {
        if (!stacks.isAny()) {
            return;
        }
        Label none = assembler.newLabel();
        Label done = assembler.newLabel();
        StackCode code = new StackCode(assembler, registers);
        assembler.load(Width.WORD, R1, R10, leavesSlot).jumpIf(Condition.EQUAL, R1, 0, none);
        assembler.load(Width.WORD, R1, R7, SwitchLayout.PREEMPTED_OFFSET).jumpIf(Condition.NOT_EQUAL, R1, 0, none);
        assembler.load(Width.DOUBLE_WORD, R1, R7, SwitchLayout.PREVIOUS_STATE_OFFSET);
        assembler.jumpIf(Condition.EQUAL, R1, 0, none);
        assembler.and(R1, TASK_DEAD).jumpIf(Condition.NOT_EQUAL, R1, 0, none);
        code.read(stacks);
        assembler.jump(done);
        assembler.bind(none);
        code.none(stacks);
        assembler.bind(done);
    }

    private void previous(Assembler assembler, TaskCode tasks) {
        Label alive = assembler.newLabel();
        assembler.load(Width.DOUBLE_WORD, R1, R6, 0).zeroExtend(R1, Width.BYTE);
        assembler.store(Width.WORD, R7, SwitchLayout.PREEMPTED_OFFSET, R1);
        tasks.currentComm(R7, SwitchLayout.PREVIOUS_COMM_OFFSET);
        // From here on R8 is the thread that leaves.
        assembler.load(Width.DOUBLE_WORD, R8, R6, Long.BYTES);
        tasks.priority(R7, SwitchLayout.PREVIOUS_PRIORITY_OFFSET, R8);
        assembler.storeImmediate(Width.DOUBLE_WORD, R7, SwitchLayout.PREVIOUS_STATE_OFFSET, 0);
        if (offsets.switchHasPreviousState()) {
            assembler.load(Width.DOUBLE_WORD, R1, R6, STATE_OFFSET_IN_CONTEXT);
            assembler.store(Width.WORD, R7, SwitchLayout.PREVIOUS_STATE_OFFSET, R1);
        } else {
            tasks.read(R7, SwitchLayout.PREVIOUS_STATE_OFFSET, offsets.stateSizeBytes(), R8, offsets.state());
        }
        assembler.storeImmediate(Width.WORD, R7, SwitchLayout.PREVIOUS_EXIT_STATE_OFFSET, 0);
        assembler.load(Width.DOUBLE_WORD, R1, R7, SwitchLayout.PREVIOUS_STATE_OFFSET);
        assembler.and(R1, TASK_DEAD).jumpIf(Condition.EQUAL, R1, 0, alive);
        tasks.read(R7, SwitchLayout.PREVIOUS_EXIT_STATE_OFFSET, Integer.BYTES, R8, offsets.exitState());
        assembler.bind(alive);
    }

    /** sched_waking(task_struct *woken); the running thread wakes it. */
    public List<Instruction> wakingProgram(int probeId, EventLayout layout) {
        Assembler assembler = new Assembler();
        Fragments fragments = new Fragments(assembler, filter);
        TaskCode tasks = new TaskCode(assembler, filter, offsets);
        ProbeNumber probe = ProbeNumber.constant(assembler, probeId);
        Label wokenMaybe = assembler.newLabel();
        Label ours = assembler.newLabel();
        Label untraced = assembler.newLabel();
        Label full = assembler.newLabel();
        int keySlot = assembler.stackSlot(Integer.BYTES);
        int idsSlot = assembler.stackSlot(Long.BYTES);

        assembler.mov(R6, R1).load(Width.DOUBLE_WORD, R9, R6, 0);
        int thread = fragments.currentThread();
        tasks.ids(idsSlot, R9);
        assembler.load(Width.DOUBLE_WORD, R0, R10, thread);
        fragments.rejectUntracedThread(thread, wokenMaybe);
        assembler.jump(ours);
        assembler.bind(wokenMaybe);
        fragments.rejectUntracedProcess(idsSlot + Integer.BYTES, untraced);
        assembler.bind(ours);
        fragments.countHit(probe, keySlot);
        fragments.reserve(layout.sizeBytes(), full);
        fragments.header(thread, RecordType.EVENT, probe);
        assembler.storeImmediate(Width.DOUBLE_WORD, R7, EventLayout.UNAVAILABLE_OFFSET, 0);
        woken(assembler, tasks, layout.arguments(), idsSlot);
        end(assembler, fragments, probe, untraced, full, keySlot);
        return assembler.assemble();
    }

    private void woken(Assembler assembler, TaskCode tasks, List<ArgumentSlot> slots, int idsSlot) {
        assembler.load(Width.WORD, R1, R10, idsSlot);
        assembler.store(Width.DOUBLE_WORD, R7, slots.get(0).offset(), R1);
        assembler.load(Width.WORD, R1, R10, idsSlot + Integer.BYTES);
        assembler.store(Width.DOUBLE_WORD, R7, slots.get(1).offset(), R1);
        tasks.priority(R7, slots.get(2).offset(), R9);
        tasks.widen(R7, slots.get(2).offset());
        if (offsets.cpu().isPresent()) {
            tasks.read(
                    R7, slots.get(3).offset(), Integer.BYTES, R9, offsets.cpu().getAsInt());
            tasks.widen(R7, slots.get(3).offset());
        } else {
            assembler.storeImmediate(Width.DOUBLE_WORD, R7, slots.get(3).offset(), -1);
            assembler.storeImmediate(Width.DOUBLE_WORD, R7, EventLayout.UNAVAILABLE_OFFSET, 1 << 3);
        }
        tasks.comm(R7, slots.get(4).offset(), R9);
    }

    private static void end(
            Assembler assembler, Fragments fragments, ProbeNumber probe, Label untraced, Label full, int keySlot) {
        fragments.submit();
        assembler.bind(untraced);
        fragments.exit();
        assembler.bind(full);
        fragments.countLoss(LossReason.RING_FULL, probe, keySlot);
        fragments.exit();
    }

    private static List<ArgumentSpec> arguments(List<String> numbers, List<String> texts) {
        List<ArgumentSpec> arguments = new ArrayList<>();
        numbers.forEach(name ->
                arguments.add(ArgumentSpec.of(name, ArgumentSource.field(name), ArgumentType.number(Form.S32))));
        texts.forEach(name -> arguments.add(ArgumentSpec.ofThreadName(name, SwitchLayout.COMM_SIZE_BYTES)));
        return arguments;
    }
}
