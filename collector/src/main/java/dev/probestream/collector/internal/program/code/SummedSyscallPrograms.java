package dev.probestream.collector.internal.program.code;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R6;
import static dev.probestream.bpf.asm.Register.R8;
import static dev.probestream.bpf.asm.Register.R9;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.RegisterTable;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.layout.RecordType;
import dev.probestream.collector.internal.program.layout.SumLayout;
import dev.probestream.collector.internal.program.layout.SyscallLayout;
import dev.probestream.collector.internal.program.layout.SyscallTexts;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.collector.internal.program.snippet.Fragments;
import dev.probestream.collector.internal.program.snippet.ProbeNumber;
import dev.probestream.schema.record.LossReason;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Writes the programs that sum system calls by thread and number, and make events of those that last, fail, or
 * are of a kind that is always recorded. Calls are paired as {@link SyscallPrograms} does. A thread keeps its entry
 * from call to call, so that most calls change no map but only values.
 */
public final class SummedSyscallPrograms {
    /** How much of the clock a tag leaves out: a tid is not given again in the same millisecond. */
    private static final int TAG_SHIFT = 20;

    // asm-generic/errno.h, linux/errno.h
    private static final int MAX_ERRNO = 4095;
    private static final int EINTR = 4;
    private static final int EAGAIN = 11;
    /** ERESTARTSYS to ERESTART_RESTARTBLOCK: the kernel returns EINTR instead, or restarts the call. */
    private static final int FIRST_RESTART = 512;

    private static final int LAST_RESTART = 516;

    private final RegisterTable registers;
    private final TargetFilter filter;
    private final SyscallLayout layout;
    private final int firstProbeId;

    /**
     * @param firstProbeId the probe of system call 0
     */
    public SummedSyscallPrograms(RegisterTable registers, TargetFilter filter, SyscallLayout layout, int firstProbeId) {
        this.registers = registers;
        this.filter = filter;
        this.layout = layout;
        this.firstProbeId = firstProbeId;
    }

    /** sys_enter(pt_regs *registers, long number). */
    public List<Instruction> enterProgram() {
        Assembler assembler = new Assembler();
        Fragments fragments = new Fragments(assembler, filter);
        Label untraced = assembler.newLabel();
        Label isNew = assembler.newLabel();
        Label unfinished = assembler.newLabel();
        Label write = assembler.newLabel();
        Label full = assembler.newLabel();
        int lossKeySlot = assembler.stackSlot(Integer.BYTES);
        int probeSlot = assembler.stackSlot(Integer.BYTES);
        int threadSlot = assembler.stackSlot(Long.BYTES);
        ProbeNumber probe = ProbeNumber.inStackSlot(assembler, probeSlot);

        assembler.mov(R6, R1);
        fragments.currentThread(threadSlot);
        fragments.rejectUntracedThread(threadSlot, untraced);
        SyscallPrograms.probeId(assembler, firstProbeId, untraced);
        assembler.store(Width.WORD, R10, probeSlot, R1);
        fragments.countHit(probe, lossKeySlot);
        fragments.lookup(MapNames.OPEN_SYSCALLS, threadSlot);
        assembler.jumpIf(Condition.EQUAL, R0, 0, isNew);
        assembler.mov(R9, R0);
        assembler.load(Width.DOUBLE_WORD, R1, R9, EventLayout.TIMESTAMP_OFFSET);
        assembler.jumpIf(Condition.NOT_EQUAL, R1, 0, unfinished);
        assembler.bind(write);
        writeCall(assembler, probeSlot);
        assembler.bind(untraced);
        fragments.exit();

        assembler.bind(isNew);
        addThread(assembler, fragments, threadSlot, full);
        assembler.jump(write);
        assembler.bind(unfinished);
        fragments.countLoss(LossReason.RETURN_NOT_SEEN, probe, lossKeySlot);
        assembler.jump(write);
        assembler.bind(full);
        fragments.countLoss(LossReason.TOO_MANY_OPEN_SPANS, probe, lossKeySlot);
        fragments.exit();
        return assembler.assemble();
    }

    /** Writes the call into the entry at R9; its time last, so that it is short of our own work. */
    private void writeCall(Assembler assembler, int probeSlot) {
        assembler.load(Width.WORD, R1, R10, probeSlot);
        assembler.store(Width.WORD, R9, EventLayout.PROBE_ID_OFFSET, R1);
        for (SyscallLayout.Stretch stretch : layout.stretches()) {
            assembler.mov(R1, R9).add(R1, stretch.sampleOffset()).mov(R2, stretch.sizeBytes());
            assembler.load(Width.DOUBLE_WORD, R3, R6, 0).add(R3, stretch.registersOffset());
            assembler.call(Helper.PROBE_READ_KERNEL);
        }
        assembler.call(Helper.GET_SMP_PROCESSOR_ID);
        assembler.store(Width.HALF, R9, EventLayout.CPU_OFFSET, R0);
        assembler.call(Helper.KTIME_GET_NS);
        assembler.store(Width.DOUBLE_WORD, R9, EventLayout.TIMESTAMP_OFFSET, R0);
    }

    /** R9 = the new entry of a thread, without a call. */
    private void addThread(Assembler assembler, Fragments fragments, int threadSlot, Label full) {
        int valueSlot = assembler.stackSlot(layout.threadSizeBytes());
        for (int offset = 0; offset < layout.threadSizeBytes(); offset += Long.BYTES) {
            assembler.storeImmediate(Width.DOUBLE_WORD, R10, valueSlot + offset, 0);
        }
        assembler.load(Width.DOUBLE_WORD, R1, R10, threadSlot);
        assembler.store(Width.DOUBLE_WORD, R10, valueSlot + EventLayout.TID_OFFSET, R1);
        assembler.storeImmediate(Width.HALF, R10, valueSlot + EventLayout.RECORD_TYPE_OFFSET, RecordType.EVENT.code());
        assembler.storeImmediate(Width.DOUBLE_WORD, R10, valueSlot + EventLayout.DURATION_OFFSET, -1);
        assembler.call(Helper.KTIME_GET_NS).shiftRight(R0, TAG_SHIFT);
        assembler.store(Width.WORD, R10, valueSlot + layout.threadTagOffset(), R0);
        fragments.insert(MapNames.OPEN_SYSCALLS, threadSlot, valueSlot);
        fragments.lookup(MapNames.OPEN_SYSCALLS, threadSlot);
        assembler.jumpIf(Condition.EQUAL, R0, 0, full);
        assembler.mov(R9, R0);
    }

    /** sys_exit(pt_regs *registers, long result). */
    public List<Instruction> exitProgram() {
        Ending ending = new Ending();
        Assembler assembler = ending.assembler;
        Label event = assembler.newLabel();
        ending.begin(ending.ignored);
        ending.sum(Optional.of(notFailed -> {
            assembler.load(Width.DOUBLE_WORD, R1, R6, SyscallSampleCode.RESULT_OFFSET_IN_CONTEXT);
            assembler.jumpIf(Condition.LESS, R1, -MAX_ERRNO, notFailed);
        }));
        ending.samples.loadTexts(firstProbeId, ending.closed);
        assembler.jumpIf(Condition.BITS_SET, R0, SyscallTexts.RARE, event);
        assembler.loadMapValue(R1, MapNames.SYSCALL_LIMIT).load(Width.DOUBLE_WORD, R1, R1, 0);
        assembler.jumpIf(Condition.GREATER_OR_EQUAL, R8, R1, event);
        assembler.load(Width.DOUBLE_WORD, R1, R6, SyscallSampleCode.RESULT_OFFSET_IN_CONTEXT);
        assembler.jumpIf(Condition.LESS, R1, -MAX_ERRNO, ending.closed);
        assembler.jumpIf(Condition.EQUAL, R1, -EAGAIN, ending.closed);
        assembler.jumpIf(Condition.EQUAL, R1, -EINTR, ending.closed);
        assembler.jumpIf(Condition.GREATER, R1, -FIRST_RESTART, event);
        assembler.jumpIf(Condition.GREATER_OR_EQUAL, R1, -LAST_RESTART, ending.closed);
        assembler.bind(event);
        ending.samples.atReturn();
        return ending.end(false);
    }

    /** sched_process_exit(task_struct *): the running thread comes back from no system call, and makes no other. */
    public List<Instruction> threadEndProgram() {
        Ending ending = new Ending();
        ending.begin(ending.closed);
        ending.sum(Optional.empty());
        ending.samples.atThreadEnd();
        return ending.end(true);
    }

    /** What the two ends of a system call have in common. */
    private final class Ending {
        final Assembler assembler = new Assembler();
        final Fragments fragments = new Fragments(assembler, filter);
        final Label ignored = assembler.newLabel();
        final Label full = assembler.newLabel();
        final Label closed = assembler.newLabel();
        final int lossKeySlot = assembler.stackSlot(Integer.BYTES);
        final int timeSlot = assembler.stackSlot(Long.BYTES);
        final int probeSlot = assembler.stackSlot(Integer.BYTES);
        final int threadSlot = assembler.stackSlot(Long.BYTES);
        final int textsSlot = assembler.stackSlot(Integer.BYTES);
        final ProbeNumber probe = ProbeNumber.inStackSlot(assembler, probeSlot);
        final SumCode sums = new SumCode(assembler, fragments, MapNames.SYSCALL_SUMS, MapNames.SYSCALL_REST);
        final SyscallSampleCode samples =
                new SyscallSampleCode(assembler, fragments, registers, layout, timeSlot, textsSlot, full, closed);

        /** R9 = the thread's entry, R8 = how long its call lasted. */
        void begin(Label noCall) {
            assembler.mov(R6, R1);
            fragments.currentThread(threadSlot);
            if (filter.mode() == TargetFilter.Mode.ONE_PROCESS) {
                fragments.rejectUntracedThread(threadSlot, ignored);
            }
            fragments.lookup(MapNames.OPEN_SYSCALLS, threadSlot);
            assembler.jumpIf(Condition.EQUAL, R0, 0, ignored);
            assembler.mov(R9, R0);
            assembler.load(Width.DOUBLE_WORD, R8, R9, EventLayout.TIMESTAMP_OFFSET);
            assembler.jumpIf(Condition.EQUAL, R8, 0, noCall);
            assembler.call(Helper.KTIME_GET_NS).store(Width.DOUBLE_WORD, R10, timeSlot, R0);
            assembler.sub(R0, R8).mov(R8, R0);
            assembler.load(Width.WORD, R1, R9, EventLayout.PROBE_ID_OFFSET);
            assembler.store(Width.WORD, R10, probeSlot, R1);
        }

        void sum(Optional<Consumer<Label>> jumpUnlessFailed) {
            assembler.load(Width.WORD, R1, R10, threadSlot);
            assembler.store(Width.WORD, R10, sums.keySlot() + SumLayout.KEY_TID_OFFSET, R1);
            assembler.load(Width.WORD, R1, R10, probeSlot);
            assembler.store(Width.WORD, R10, sums.keySlot() + SumLayout.KEY_PROBE_ID_OFFSET, R1);
            assembler.load(Width.WORD, R1, R9, layout.threadTagOffset());
            assembler.store(Width.WORD, R10, sums.keySlot() + SumLayout.KEY_THREAD_TAG_OFFSET, R1);
            Runnable number =
                    () -> assembler.load(Width.WORD, R1, R10, probeSlot).sub(R1, firstProbeId);
            sums.add(threadSlot + Integer.BYTES, number, jumpUnlessFailed);
        }

        List<Instruction> end(boolean isThreadEnd) {
            assembler.bind(full);
            fragments.countLoss(LossReason.RING_FULL, probe, lossKeySlot);
            assembler.bind(closed);
            if (isThreadEnd) {
                fragments.delete(MapNames.OPEN_SYSCALLS, threadSlot);
            } else {
                assembler.storeImmediate(Width.DOUBLE_WORD, R9, EventLayout.TIMESTAMP_OFFSET, 0);
            }
            assembler.bind(ignored);
            fragments.exit();
            return assembler.assemble();
        }
    }
}
