package dev.probestream.collector.internal.program.code;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R4;
import static dev.probestream.bpf.asm.Register.R6;
import static dev.probestream.bpf.asm.Register.R9;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.collector.internal.program.options.TaskOffsets;
import dev.probestream.collector.internal.program.snippet.Fragments;
import java.util.List;

/**
 * Writes the programs that sum the times in which a recorded thread has no cpu (raw tracepoints sched_switch and sched_waking):
 * which threads are recorded, and their ids. What happens to their times is in C (src/main/bpf/sched_sums.bpf.c).
 */
public final class SummedSchedPrograms {
    /** Of take_cpu() and new_sum(), which take the most. */
    private static final int CALLED_STACK_BYTES = 224;

    private static final int NEXT_OFFSET_IN_CONTEXT = 16;

    private final TargetFilter filter;
    private final TaskOffsets offsets;
    private final int offCpuId;

    /** @param offCpuId the probe of times without a cpu; the next one is that of their parts in which the thread could run */
    public SummedSchedPrograms(TargetFilter filter, TaskOffsets offsets, int offCpuId) {
        this.filter = filter;
        this.offsets = offsets;
        this.offCpuId = offCpuId;
    }

    /** sched_switch(bool preempt, task_struct *previous, task_struct *next[, unsigned int previousState]). */
    public List<Instruction> switchProgram() {
        Assembler assembler = new Assembler();
        Fragments fragments = new Fragments(assembler, filter);
        Label arrival = assembler.newLabel();
        Label exit = assembler.newLabel();
        int thread = assembler.stackSlot(Long.BYTES);
        int task = assembler.stackSlot(Long.BYTES);
        assembler.mov(R6, R1);
        fragments.currentThread(thread);
        fragments.endedIds(thread);
        assembler.load(Width.DOUBLE_WORD, R0, R10, thread);
        fragments.rejectUntracedThread(thread, arrival);
        assembler.mov(R1, R6).mov(R2, R10).add(R2, thread);
        assembler.mov(R3, offsets.switchPassesState() ? 1 : 0).mov(R4, offCpuId);
        assembler.callFunction("leave_cpu", CALLED_STACK_BYTES);
        assembler.jumpIf(Condition.EQUAL, R0, 0, arrival);
        preempted(assembler, fragments);
        assembler.bind(arrival);
        assembler.load(Width.DOUBLE_WORD, R1, R6, NEXT_OFFSET_IN_CONTEXT).store(Width.DOUBLE_WORD, R10, task, R1);
        fragments.lookup(MapNames.OFF_CPU, task);
        assembler.jumpIf(Condition.EQUAL, R0, 0, exit);
        assembler.mov(R1, R0).mov(R2, offCpuId);
        assembler.loadMapValue(R3, MapNames.SUM_INTERVAL).loadMapValue(R4, MapNames.SCHED_LIMIT);
        assembler.callFunction("take_cpu", CALLED_STACK_BYTES);
        assembler.bind(exit);
        fragments.exit();
        return assembler.assemble();
    }

    /** Who takes the cpu of the thread whose entry is at R0. */
    private void preempted(Assembler assembler, Fragments fragments) {
        int next = assembler.stackSlot(Long.BYTES);
        int entry = assembler.stackSlot(Long.BYTES);
        assembler.store(Width.DOUBLE_WORD, R10, entry, R0);
        assembler.load(Width.DOUBLE_WORD, R9, R6, NEXT_OFFSET_IN_CONTEXT);
        fragments.taskIds(next, R9, offsets);
        assembler.load(Width.DOUBLE_WORD, R1, R10, entry).mov(R2, R10).add(R2, next);
        assembler.mov(R3, R9).callFunction("preempted_by", CALLED_STACK_BYTES);
    }

    /** sched_waking(task_struct *woken); the running thread wakes it. */
    public List<Instruction> wakingProgram() {
        Assembler assembler = new Assembler();
        Fragments fragments = new Fragments(assembler, filter);
        Label ignored = assembler.newLabel();
        int task = assembler.stackSlot(Long.BYTES);
        int waker = assembler.stackSlot(Long.BYTES);
        assembler.load(Width.DOUBLE_WORD, R1, R1, 0).store(Width.DOUBLE_WORD, R10, task, R1);
        fragments.lookup(MapNames.OFF_CPU, task);
        assembler.jumpIf(Condition.EQUAL, R0, 0, ignored).mov(R9, R0);
        fragments.currentThread(waker);
        assembler.mov(R1, R9).mov(R2, R10).add(R2, waker).mov(R3, offCpuId + 1);
        assembler.callFunction("wake", CALLED_STACK_BYTES);
        assembler.bind(ignored);
        fragments.exit();
        return assembler.assemble();
    }
}
