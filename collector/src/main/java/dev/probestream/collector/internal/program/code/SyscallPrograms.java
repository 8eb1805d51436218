package dev.probestream.collector.internal.program.code;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R6;
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
import dev.probestream.collector.internal.program.layout.SyscallLayout;
import dev.probestream.collector.internal.program.layout.SyscallProbes;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.collector.internal.program.snippet.Fragments;
import dev.probestream.collector.internal.program.snippet.PairingCode;
import dev.probestream.collector.internal.program.snippet.ProbeNumber;
import dev.probestream.schema.record.LossReason;
import java.util.List;

/**
 * Writes the programs that pair system calls (raw tracepoints sys_enter and sys_exit) by the thread, which can be in
 * one at a time. Every call is an event.
 *
 * <p>A call that never comes back (exit, exit_group) ends with its thread, without a returned value. A return without
 * an entry is ignored: the call began before the probe was there, is the child's side of a fork, or was refused by
 * seccomp before sys_enter.
 */
public final class SyscallPrograms {
    private static final int NUMBER_OFFSET_IN_CONTEXT = 8;

    /**
     * uretprobe and uprobe: how the kernel itself comes back from a probe on x86-64 (since 6.11), no call of the program
     * (arch/x86/entry/syscalls/syscall_64.tbl). No other architecture has calls of these numbers.
     */
    private static final int FIRST_CALL_OF_PROBES = 335;

    private static final int CALLS_OF_PROBES = 2;

    private final RegisterTable registers;
    private final TargetFilter filter;
    private final SyscallLayout layout;
    private final int firstProbeId;

    /**
     * @param firstProbeId the probe of system call 0; {@link SyscallProbes} defines how they are numbered
     */
    public SyscallPrograms(RegisterTable registers, TargetFilter filter, SyscallLayout layout, int firstProbeId) {
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
        Label stored = assembler.newLabel();
        int lossKeySlot = assembler.stackSlot(Integer.BYTES);
        int valueSlot = assembler.stackSlot(layout.entrySizeBytes());
        int threadSlot = valueSlot + EventLayout.TID_OFFSET;
        ProbeNumber probe = ProbeNumber.inStackSlot(assembler, valueSlot + EventLayout.PROBE_ID_OFFSET);
        PairingCode pairing = new PairingCode(assembler, fragments, MapNames.OPEN_SYSCALLS, threadSlot, lossKeySlot);

        assembler.mov(R6, R1);
        fragments.currentThread(threadSlot);
        fragments.rejectUntracedThread(threadSlot, untraced);
        probeId(assembler, firstProbeId, untraced);
        assembler.store(Width.WORD, R10, valueSlot + EventLayout.PROBE_ID_OFFSET, R1);
        fragments.countHit(probe, lossKeySlot);
        for (SyscallLayout.Stretch stretch : layout.stretches()) {
            assembler.mov(R1, R10).add(R1, valueSlot + stretch.sampleOffset()).mov(R2, stretch.sizeBytes());
            assembler.load(Width.DOUBLE_WORD, R3, R6, 0).add(R3, stretch.registersOffset());
            assembler.call(Helper.PROBE_READ_KERNEL);
        }
        fragments.cpuTypeProbe(R10, valueSlot, RecordType.EVENT, probe);
        assembler.storeImmediate(Width.DOUBLE_WORD, R10, valueSlot + EventLayout.DURATION_OFFSET, -1);
        assembler.storeImmediate(Width.DOUBLE_WORD, R10, valueSlot + EventLayout.UNAVAILABLE_OFFSET, 0);
        assembler.call(Helper.KTIME_GET_NS);
        assembler.store(Width.DOUBLE_WORD, R10, valueSlot + EventLayout.TIMESTAMP_OFFSET, R0);
        pairing.put(() -> assembler.mov(R3, R10).add(R3, valueSlot), probe, stored);
        assembler.bind(stored);
        assembler.bind(untraced);
        fragments.exit();
        return assembler.assemble();
    }

    /**
     * R1 = the probe of the entered call; numbers beyond the table (a call of another ABI, -1) share the last. Jumps for
     * what is no call of the program.
     */
    static void probeId(Assembler assembler, int firstProbeId, Label ofProbes) {
        Label known = assembler.newLabel();
        assembler.load(Width.DOUBLE_WORD, R1, R6, NUMBER_OFFSET_IN_CONTEXT).sub(R1, FIRST_CALL_OF_PROBES);
        assembler.jumpIf(Condition.LESS, R1, CALLS_OF_PROBES, ofProbes);
        assembler.load(Width.DOUBLE_WORD, R1, R6, NUMBER_OFFSET_IN_CONTEXT);
        assembler.jumpIf(Condition.LESS, R1, SyscallProbes.COUNT - 1, known);
        assembler.mov(R1, SyscallProbes.COUNT - 1);
        assembler.bind(known);
        assembler.add(R1, firstProbeId);
    }

    /** sys_exit(pt_regs *registers, long result). */
    public List<Instruction> exitProgram() {
        Pairing pairing = new Pairing();
        Label noTexts = pairing.assembler.newLabel();
        Label sample = pairing.assembler.newLabel();
        pairing.begin();
        pairing.samples.loadTexts(firstProbeId, noTexts);
        pairing.assembler.jump(sample);
        pairing.assembler.bind(noTexts).storeImmediate(Width.WORD, R10, pairing.textsSlot, 0);
        pairing.assembler.bind(sample);
        pairing.samples.atReturn();
        return pairing.end();
    }

    /** sched_process_exit(task_struct *): the running thread comes back from no system call. */
    public List<Instruction> threadEndProgram() {
        Pairing pairing = new Pairing();
        pairing.begin();
        pairing.samples.atThreadEnd();
        return pairing.end();
    }

    /** What the two ends of a system call have in common. */
    private final class Pairing {
        final Assembler assembler = new Assembler();
        final Fragments fragments = new Fragments(assembler, filter);
        final Label ignored = assembler.newLabel();
        final Label full = assembler.newLabel();
        final Label delete = assembler.newLabel();
        final int lossKeySlot = assembler.stackSlot(Integer.BYTES);
        final int timeSlot = assembler.stackSlot(Long.BYTES);
        final int probeSlot = assembler.stackSlot(Integer.BYTES);
        final int threadSlot = assembler.stackSlot(Long.BYTES);
        final int textsSlot = assembler.stackSlot(Integer.BYTES);
        final ProbeNumber probe = ProbeNumber.inStackSlot(assembler, probeSlot);
        final SyscallSampleCode samples =
                new SyscallSampleCode(assembler, fragments, registers, layout, timeSlot, textsSlot, full, delete);

        /** R9 = the open entry. */
        void begin() {
            assembler.mov(R6, R1);
            fragments.currentThread(threadSlot);
            if (filter.mode() == TargetFilter.Mode.ONE_PROCESS) {
                fragments.rejectUntracedThread(threadSlot, ignored);
            }
            fragments.lookup(MapNames.OPEN_SYSCALLS, threadSlot);
            assembler.jumpIf(Condition.EQUAL, R0, 0, ignored);
            assembler.mov(R9, R0);
            assembler.call(Helper.KTIME_GET_NS).store(Width.DOUBLE_WORD, R10, timeSlot, R0);
            assembler.load(Width.WORD, R1, R9, EventLayout.PROBE_ID_OFFSET);
            assembler.store(Width.WORD, R10, probeSlot, R1);
        }

        List<Instruction> end() {
            assembler.bind(full);
            fragments.countLoss(LossReason.RING_FULL, probe, lossKeySlot);
            assembler.bind(delete);
            fragments.delete(MapNames.OPEN_SYSCALLS, threadSlot);
            assembler.bind(ignored);
            fragments.exit();
            return assembler.assemble();
        }
    }
}
