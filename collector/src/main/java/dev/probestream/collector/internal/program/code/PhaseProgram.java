package dev.probestream.collector.internal.program.code;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R6;
import static dev.probestream.bpf.asm.Register.R8;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.RegisterTable;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.PhasesLayout;
import dev.probestream.collector.internal.program.layout.RecordType;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.collector.internal.program.snippet.ArgumentCode;
import dev.probestream.collector.internal.program.snippet.Fragments;
import dev.probestream.collector.internal.program.snippet.ProbeNumber;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.LossReason;
import java.util.List;

/**
 * Writes the program at the entry of a function whose span ends where the next such span of its thread begins. A probe that is
 * no span only ends such spans, and its sample follows theirs. Which spans end is in C (src/main/bpf/phases.bpf.c).
 */
final class PhaseProgram {
    /** Of the functions in C, which take the most. */
    private static final int CALLED_STACK_BYTES = 64;

    private final Assembler assembler;
    private final RegisterTable registers;
    private final Fragments fragments;
    private final ArgumentCode argumentCode;
    private final int lossKeySlot;
    private final int threadSlot;
    private final int sampleSlot;

    PhaseProgram(Assembler assembler, RegisterTable registers, TargetFilter filter, ArgumentCode argumentCode) {
        this.assembler = assembler;
        this.registers = registers;
        this.fragments = new Fragments(assembler, filter);
        this.argumentCode = argumentCode;
        this.lossKeySlot = assembler.stackSlot(Integer.BYTES);
        this.threadSlot = assembler.stackSlot(Long.BYTES);
        this.sampleSlot = assembler.stackSlot(PhasesLayout.SAMPLE_SIZE_BYTES);
    }

    List<Instruction> write(List<Integer> probeIds, List<ArgumentSpec> arguments, EventLayout layout) {
        Label untraced = assembler.newLabel();
        Label lost = assembler.newLabel();
        assembler.mov(R6, R1);
        fragments.currentThread(threadSlot);
        fragments.rejectUntracedThread(threadSlot, untraced);
        argumentCode.ofThread(threadSlot);
        argumentCode.prepare(arguments);
        ProbeNumber probe = ProbeNumber.ofProbes(assembler, probeIds, R6);
        fragments.countHit(probe, lossKeySlot);
        fill(arguments, layout, probe);
        boolean isSpan = layout.kind() == EventKind.SPAN;
        assembler.mov(R1, R10).add(R1, sampleSlot);
        assembler.load(Width.DOUBLE_WORD, R2, R6, registers.stackPointerOffset());
        assembler.callFunction(isSpan ? "begin_phase" : "pass_phases", CALLED_STACK_BYTES);
        assembler.jumpIf(Condition.NOT_EQUAL, R0, 0, lost);
        assembler.bind(untraced);
        fragments.exit();
        assembler.bind(lost);
        fragments.countLoss(isSpan ? LossReason.TOO_MANY_OPEN_SPANS : LossReason.RING_FULL, probe, lossKeySlot);
        fragments.exit();
        return assembler.assemble();
    }

    private void fill(List<ArgumentSpec> arguments, EventLayout layout, ProbeNumber probe) {
        for (int i = layout.entryEndOffset(); i < PhasesLayout.SAMPLE_SIZE_BYTES; i += Long.BYTES) {
            assembler.storeImmediate(Width.DOUBLE_WORD, R10, sampleSlot + i, 0);
        }
        assembler.load(Width.DOUBLE_WORD, R1, R10, threadSlot);
        assembler.store(Width.DOUBLE_WORD, R10, sampleSlot + EventLayout.TID_OFFSET, R1);
        fragments.cpuTypeProbe(R10, sampleSlot, RecordType.EVENT, probe);
        assembler.storeImmediate(Width.DOUBLE_WORD, R10, sampleSlot + EventLayout.DURATION_OFFSET, -1);
        assembler.mov(R8, 0);
        for (int i = 0; i < arguments.size(); i++) {
            argumentCode.read(arguments.get(i), i, layout.arguments().get(i), R10, sampleSlot);
        }
        assembler.store(Width.DOUBLE_WORD, R10, sampleSlot + EventLayout.UNAVAILABLE_OFFSET, R8);
        assembler.call(Helper.KTIME_GET_NS);
        assembler.store(Width.DOUBLE_WORD, R10, sampleSlot + EventLayout.TIMESTAMP_OFFSET, R0);
    }
}
