package dev.probestream.collector.internal.program.code;

import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R6;
import static dev.probestream.bpf.asm.Register.R7;
import static dev.probestream.bpf.asm.Register.R8;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.RegisterTable;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.ArgumentSlot;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.RecordType;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.collector.internal.program.snippet.ArgumentCode;
import dev.probestream.collector.internal.program.snippet.FilterCode;
import dev.probestream.collector.internal.program.snippet.Fragments;
import dev.probestream.collector.internal.program.snippet.HitFieldCode;
import dev.probestream.collector.internal.program.snippet.ProbeNumber;
import dev.probestream.collector.internal.program.snippet.StackCode;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.Filter;
import dev.probestream.schema.record.LossReason;
import java.util.List;
import java.util.Optional;

/** Writes the program of a probe whose hits are single moments: one sample each. */
public final class InstantProgram {
    /** What of the 512 bytes of the stack copies of the process's memory may take. */
    static final int WINDOWS_BYTES = 224;

    private final Assembler assembler;
    private final RegisterTable registers;
    private final Fragments fragments;
    private final ArgumentCode argumentCode;
    private final boolean wakes;

    public InstantProgram(
            Assembler assembler, RegisterTable registers, TargetFilter filter, ArgumentCode argumentCode) {
        this(assembler, registers, filter, argumentCode, false);
    }

    /** @param wakes whether the reader is to read each sample at once */
    public InstantProgram(
            Assembler assembler,
            RegisterTable registers,
            TargetFilter filter,
            ArgumentCode argumentCode,
            boolean wakes) {
        this.assembler = assembler;
        this.registers = registers;
        this.fragments = new Fragments(assembler, filter);
        this.argumentCode = argumentCode;
        this.wakes = wakes;
    }

    /**
     * The program.
     *
     * @param filter with its types
     * @param arguments with their types; the last one may be the returned value of a probe that has one
     * @param slots as many
     */
    public List<Instruction> write(
            List<Integer> probeIds,
            Optional<Filter> filter,
            List<ArgumentSpec> arguments,
            List<ArgumentSlot> slots,
            EventLayout layout) {
        Label untraced = assembler.newLabel();
        Label full = assembler.newLabel();
        int keySlot = assembler.stackSlot(Integer.BYTES);

        assembler.mov(R6, R1);
        int thread = fragments.currentThread();
        fragments.rejectUntracedThread(thread, untraced);
        ProbeNumber probe = ProbeNumber.ofProbes(assembler, probeIds, R6);
        fragments.countHit(probe, keySlot);
        sample(probe, thread, filter, arguments, slots, layout, untraced, full);
        assembler.bind(untraced);
        fragments.exit();
        assembler.bind(full);
        fragments.countLoss(LossReason.RING_FULL, probe, keySlot);
        fragments.exit();
        return assembler.assemble();
    }

    /**
     * Emits the part for one probe of a program that serves several, at hits of a recorded thread. The program's context is in R6. Falls through in
     * every case.
     *
     * @param threadSlot where on the stack the ids of the thread stand
     */
    void part(
            int probeId,
            int threadSlot,
            Optional<Filter> filter,
            List<ArgumentSpec> arguments,
            List<ArgumentSlot> slots,
            EventLayout layout) {
        Label done = assembler.newLabel();
        Label full = assembler.newLabel();
        int keySlot = assembler.stackSlot(Integer.BYTES);
        ProbeNumber probe = ProbeNumber.constant(assembler, probeId);
        fragments.countHit(probe, keySlot);
        sample(probe, threadSlot, filter, arguments, slots, layout, done, full);
        assembler.jump(done);
        assembler.bind(full);
        fragments.countLoss(LossReason.RING_FULL, probe, keySlot);
        assembler.bind(done);
    }

    /** Sends the sample of a hit that passes the filter. */
    private void sample(
            ProbeNumber probe,
            int thread,
            Optional<Filter> filter,
            List<ArgumentSpec> arguments,
            List<ArgumentSlot> slots,
            EventLayout layout,
            Label rejected,
            Label full) {
        argumentCode.ofThread(thread);
        filter.ifPresent(condition -> new FilterCode(assembler, argumentCode, HitFieldCode.atEntry(assembler, thread))
                .rejectUnless(condition, rejected));
        argumentCode.prepare(arguments, WINDOWS_BYTES - StackCode.calledStackBytes(layout.stacks()));
        fragments.reserve(layout.sizeBytes(), full);
        fragments.header(thread, RecordType.EVENT, probe);
        assembler.mov(R8, 0);
        argumentCode.readAll(arguments, slots, R7, 0);
        new StackCode(assembler, registers).read(layout.stacks());
        assembler.store(Width.DOUBLE_WORD, R7, EventLayout.UNAVAILABLE_OFFSET, R8);
        if (wakes) {
            fragments.submitAndWake();
        } else {
            fragments.submit();
        }
    }
}
