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
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.layout.SyscallLayout;
import dev.probestream.collector.internal.program.layout.SyscallTexts;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.collector.internal.program.snippet.Fragments;
import dev.probestream.collector.internal.program.snippet.ProbeNumber;
import dev.probestream.collector.internal.program.snippet.StackCode;
import dev.probestream.schema.record.LossReason;
import java.util.List;

/**
 * Writes the programs of system calls (raw tracepoints sys_enter and sys_exit): which threads are recorded, and how large samples
 * are. How calls are paired, summed and written is in C (src/main/bpf/syscalls.bpf.c).
 */
public final class SyscallPrograms {
    /** Of end_summed_syscall() and new_sum(), which take the most. */
    private static final int CALLED_STACK_BYTES = 224;

    private final RegisterTable registers;
    private final TargetFilter filter;
    private final SyscallLayout layout;
    private final PlannedSyscalls planned;

    public SyscallPrograms(RegisterTable registers, TargetFilter filter, PlannedSyscalls planned) {
        this.registers = registers;
        this.filter = filter;
        this.layout = planned.layout();
        this.planned = planned;
    }

    private boolean isSummed() {
        return planned.spec().isSummed();
    }

    /** sys_enter(pt_regs *registers, long number). */
    public List<Instruction> enterProgram() {
        Assembler assembler = new Assembler();
        Fragments fragments = new Fragments(assembler, filter);
        Label untraced = assembler.newLabel();
        assembler.mov(R6, R1);
        int thread = fragments.currentThread();
        fragments.rejectUntracedThread(thread, untraced);
        assembler.mov(R1, R6).mov(R2, R10).add(R2, thread);
        assembler.mov(R3, planned.firstProbeId()).mov(R4, layout.firstRegisterOffset());
        assembler.callFunction(isSummed() ? "begin_summed_syscall" : "begin_syscall", CALLED_STACK_BYTES);
        assembler.bind(untraced);
        fragments.exit();
        return assembler.assemble();
    }

    /** sys_exit(pt_regs *registers, long result). */
    public List<Instruction> exitProgram() {
        Ending ending = new Ending();
        Assembler assembler = ending.assembler;
        ending.begin();
        assembler.mov(R1, R6).mov(R2, R10).add(R2, ending.thread);
        assembler.mov(R3, planned.firstProbeId()).mov(R4, R10).add(R4, ending.end);
        if (isSummed()) {
            assembler.loadMapValue(R5, MapNames.SUM_INTERVAL);
        }
        ending.call(isSummed() ? "end_summed_syscall" : "end_syscall");
        Label one = assembler.newLabel();
        Label two = assembler.newLabel();
        assembler.load(Width.WORD, R0, R10, ending.end + SyscallLayout.END_TEXTS_OFFSET);
        assembler.jumpIf(Condition.BITS_SET, R0, SyscallTexts.SECOND_MASK, two);
        assembler.jumpIf(Condition.BITS_SET, R0, SyscallTexts.FIRST_MASK, one);
        ending.sample(0);
        assembler.bind(one);
        ending.sample(1);
        assembler.bind(two);
        ending.sample(2);
        return ending.finish(!isSummed());
    }

    /** sched_process_exit(task_struct *): the running thread comes back from no system call, and makes no other. */
    public List<Instruction> threadEndProgram() {
        Ending ending = new Ending();
        Assembler assembler = ending.assembler;
        ending.begin();
        assembler.mov(R1, R10).add(R1, ending.thread);
        if (isSummed()) {
            assembler.mov(R2, planned.firstProbeId()).mov(R3, R10).add(R3, ending.end);
            assembler.loadMapValue(R4, MapNames.SUM_INTERVAL);
            ending.call("end_summed_syscall_with_thread");
        } else {
            assembler.mov(R2, R10).add(R2, ending.end);
            ending.call("end_syscall_with_thread");
        }
        ending.sample(0);
        return ending.finish(true);
    }

    /** What the two ends of a system call have in common. */
    private final class Ending {
        final Assembler assembler = new Assembler();
        final Fragments fragments = new Fragments(assembler, filter);
        final Label ignored = assembler.newLabel();
        final Label full = assembler.newLabel();
        final Label done = assembler.newLabel();
        final int lossKey = assembler.stackSlot(Integer.BYTES);
        final int end = assembler.stackSlot(SyscallLayout.END_SIZE_BYTES);
        final int thread = assembler.stackSlot(Long.BYTES);

        /** Of other filters, threads that are not recorded have no entry. */
        void begin() {
            assembler.mov(R6, R1);
            fragments.currentThread(thread);
            if (filter.mode() == TargetFilter.Mode.ONE_PROCESS) {
                fragments.rejectUntracedThread(thread, ignored);
            }
        }

        /** R9 = the entry of a call that becomes a sample. */
        void call(String function) {
            assembler.callFunction(function, CALLED_STACK_BYTES);
            assembler.jumpIf(Condition.EQUAL, R0, 0, ignored).mov(R9, R0);
        }

        void sample(int texts) {
            fragments.reserve(layout.sizeBytes(texts), full);
            assembler.mov(R1, R7).mov(R2, R9).mov(R3, R10).add(R3, end).mov(R4, texts);
            assembler.callFunction("write_syscall", CALLED_STACK_BYTES);
            new StackCode(assembler, registers).read(layout.stacks(texts));
            fragments.submit();
            assembler.jump(done);
        }

        List<Instruction> finish(boolean deletes) {
            ProbeNumber probe = ProbeNumber.inStackSlot(assembler, end + SyscallLayout.END_PROBE_ID_OFFSET);
            assembler.bind(full);
            fragments.countLoss(LossReason.RING_FULL, probe, lossKey);
            assembler.bind(done);
            if (deletes) {
                fragments.delete(MapNames.OPEN_SYSCALLS, thread);
            } else {
                assembler.storeImmediate(Width.DOUBLE_WORD, R9, EventLayout.TIMESTAMP_OFFSET, 0);
            }
            assembler.bind(ignored);
            fragments.exit();
            return assembler.assemble();
        }
    }
}
