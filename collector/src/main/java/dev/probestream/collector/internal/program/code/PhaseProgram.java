package dev.probestream.collector.internal.program.code;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R4;
import static dev.probestream.bpf.asm.Register.R6;
import static dev.probestream.bpf.asm.Register.R7;
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
import dev.probestream.collector.internal.program.layout.PhasesLayout;
import dev.probestream.collector.internal.program.layout.RecordType;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.collector.internal.program.snippet.ArgumentCode;
import dev.probestream.collector.internal.program.snippet.Fragments;
import dev.probestream.collector.internal.program.snippet.PhaseEnds;
import dev.probestream.collector.internal.program.snippet.ProbeNumber;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.LossReason;
import java.util.List;

/**
 * Writes the program at the entry of a function whose span ends where the next such span of its thread begins. It ends
 * those open spans of the thread whose frames are gone, for a function that is called from the same frame or from one
 * further up the stack, and notes its own. Spans of functions further up go on around it: a loop that runs in a callback
 * of another is inside of it. A probe that is no span only ends such spans, and its sample follows theirs.
 */
final class PhaseProgram {
    /** linux/bpf.h. */
    private static final int BPF_NOEXIST = 1;

    private final Assembler assembler;
    private final RegisterTable registers;
    private final Fragments fragments;
    private final ArgumentCode argumentCode;
    private final int lossKeySlot;
    private final int threadSlot;
    private final int stackPointerSlot;
    private final int sampleSlot;

    PhaseProgram(Assembler assembler, RegisterTable registers, TargetFilter filter, ArgumentCode argumentCode) {
        this.assembler = assembler;
        this.registers = registers;
        this.fragments = new Fragments(assembler, filter);
        this.argumentCode = argumentCode;
        this.lossKeySlot = assembler.stackSlot(Integer.BYTES);
        this.threadSlot = assembler.stackSlot(Long.BYTES);
        this.stackPointerSlot = assembler.stackSlot(Long.BYTES);
        this.sampleSlot = assembler.stackSlot(PhasesLayout.SAMPLE_SIZE_BYTES);
    }

    List<Instruction> write(List<Integer> probeIds, List<ArgumentSpec> arguments, EventLayout layout) {
        Label untraced = assembler.newLabel();
        Label lost = assembler.newLabel();
        assembler.mov(R6, R1);
        fragments.currentThread(threadSlot);
        fragments.rejectUntracedThread(threadSlot, untraced);
        assembler.load(Width.DOUBLE_WORD, R1, R6, registers.stackPointerOffset());
        assembler.store(Width.DOUBLE_WORD, R10, stackPointerSlot, R1);
        argumentCode.ofThread(threadSlot);
        argumentCode.prepare(arguments);
        ProbeNumber probe = ProbeNumber.ofProbes(assembler, probeIds, R6);
        fragments.countHit(probe, lossKeySlot);
        fill(arguments, layout, probe);
        // What ends ends at the moment at which what follows begins.
        int now = sampleSlot + EventLayout.TIMESTAMP_OFFSET;
        PhaseEnds ends = new PhaseEnds(assembler, fragments, now, lossKeySlot);
        boolean isSpan = layout.kind() == EventKind.SPAN;
        if (isSpan) {
            begin(ends, lost);
        } else {
            instant(ends, lost);
        }
        assembler.bind(untraced);
        fragments.exit();
        assembler.bind(lost);
        fragments.countLoss(isSpan ? LossReason.TOO_MANY_OPEN_SPANS : LossReason.RING_FULL, probe, lossKeySlot);
        fragments.exit();
        return assembler.assemble();
    }

    private void begin(PhaseEnds ends, Label lost) {
        Label found = assembler.newLabel();
        fragments.lookup(MapNames.PHASES, threadSlot);
        assembler.jumpIf(Condition.NOT_EQUAL, R0, 0, found);
        addThread(lost);
        assembler.bind(found);
        assembler.mov(R9, R0);
        ends.ofFramesUpTo(stackPointerSlot);
        push(lost);
    }

    private void instant(PhaseEnds ends, Label lost) {
        Label none = assembler.newLabel();
        fragments.lookup(MapNames.PHASES, threadSlot);
        assembler.jumpIf(Condition.EQUAL, R0, 0, none);
        assembler.mov(R9, R0);
        ends.ofFramesUpTo(stackPointerSlot);
        assembler.bind(none);
        fragments.reserve(PhasesLayout.SAMPLE_SIZE_BYTES, lost);
        PhaseEnds.copy(assembler, R10, sampleSlot, R7, 0);
        fragments.submit();
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

    /** The first of its thread; R0 = its value, or a jump. */
    private void addThread(Label lost) {
        assembler.storeImmediate(Width.WORD, R10, lossKeySlot, 0);
        fragments.lookup(MapNames.ZERO, lossKeySlot);
        assembler.jumpIf(Condition.EQUAL, R0, 0, lost);
        assembler.mov(R3, R0);
        assembler.loadMap(R1, MapNames.PHASES);
        assembler.mov(R2, R10).add(R2, threadSlot);
        assembler.mov(R4, BPF_NOEXIST).call(Helper.MAP_UPDATE_ELEM);
        fragments.lookup(MapNames.PHASES, threadSlot);
        assembler.jumpIf(Condition.EQUAL, R0, 0, lost);
    }

    /** Puts its own behind those that go on. */
    private void push(Label lost) {
        assembler.load(Width.WORD, R2, R9, PhasesLayout.DEPTH_OFFSET);
        assembler.jumpIf(Condition.GREATER_OR_EQUAL, R2, PhasesLayout.MAX_DEPTH, lost);
        assembler.mov(R3, R2).add(R3, 1).store(Width.WORD, R9, PhasesLayout.DEPTH_OFFSET, R3);
        assembler.mul(R2, PhasesLayout.SLOT_SIZE_BYTES).add(R9, R2);
        assembler.load(Width.DOUBLE_WORD, R1, R10, stackPointerSlot);
        assembler.store(Width.DOUBLE_WORD, R9, PhasesLayout.slotOffset(0), R1);
        PhaseEnds.copy(assembler, R10, sampleSlot, R9, PhasesLayout.sampleOffset(0));
    }
}
