package dev.probestream.collector.internal.program.code;

import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R6;
import static dev.probestream.bpf.asm.Register.R8;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.ArgumentSlot;
import dev.probestream.collector.internal.program.layout.histogram.HistogramKeyPart;
import dev.probestream.collector.internal.program.layout.histogram.HistogramLayout;
import dev.probestream.collector.internal.program.options.ProgramOptions;
import dev.probestream.collector.internal.program.snippet.ArgumentCode;
import dev.probestream.collector.internal.program.snippet.FilterCode;
import dev.probestream.collector.internal.program.snippet.Fragments;
import dev.probestream.collector.internal.program.snippet.HitFieldCode;
import dev.probestream.collector.internal.program.snippet.ProbeNumber;
import dev.probestream.collector.internal.program.snippet.histogram.HistogramKeyCode;
import dev.probestream.collector.internal.program.snippet.histogram.HistogramValueCode;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.Filter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** Writes the program of a histogram whose hits are single moments: each counts one up in the map. */
public final class HistogramProgram {
    private final Assembler assembler;
    private final Fragments fragments;
    private final ArgumentCode argumentCode;
    private final HistogramLayout layout;
    private final HistogramKeyCode keyCode;

    public HistogramProgram(
            Assembler assembler, ProgramOptions options, ArgumentCode argumentCode, HistogramLayout layout) {
        this.assembler = assembler;
        this.fragments = new Fragments(assembler, options.filter());
        this.argumentCode = argumentCode;
        this.layout = layout;
        this.keyCode = new HistogramKeyCode(assembler, fragments, options, layout);
    }

    public List<Instruction> write(List<Integer> probeIds, Optional<Filter> filter) {
        Label untraced = assembler.newLabel();
        int lossKeySlot = assembler.stackSlot(Integer.BYTES);
        assembler.mov(R6, R1);
        int threadSlot = fragments.currentThread();
        fragments.rejectUntracedThread(threadSlot, untraced);
        argumentCode.rejectOthers(untraced);
        argumentCode.ofThread(threadSlot);
        filter.ifPresent(
                condition -> new FilterCode(assembler, argumentCode, HitFieldCode.atEntry(assembler, threadSlot))
                        .rejectUnless(condition, untraced));
        argumentCode.prepare(layout.arguments());
        ProbeNumber probe = ProbeNumber.ofProbes(assembler, probeIds, R6);
        keyCode.clear();
        assembler.mov(R8, 0);
        for (HistogramKeyPart part : layout.parts()) {
            if (part.source() == HistogramKeyPart.Source.ARGUMENT) {
                argumentCode.read(
                        layout.arguments().get(part.argument()), part.argument(), part.slot(), R10, keyCode.slot());
            } else {
                keyCode.write(part, threadSlot, probe, () -> assembler.call(Helper.GET_SMP_PROCESSOR_ID));
            }
        }
        keyCode.writeValues(new HistogramValueCode(assembler, operands()));
        keyCode.count(threadSlot, probe, lossKeySlot);
        assembler.bind(untraced);
        fragments.exit();
        return assembler.assemble();
    }

    /** Reads the arguments that values are computed of. */
    private HistogramValueCode.Leaves operands() {
        Map<Integer, Integer> slots = new HashMap<>();
        for (int index : layout.operands()) {
            ArgumentSpec argument = layout.arguments().get(index);
            int valueSlot = assembler.stackSlot(Long.BYTES);
            argumentCode.read(argument, index, new ArgumentSlot(argument.type(), 0, false), R10, valueSlot);
            slots.put(index, valueSlot);
        }
        return new HistogramValueCode.Leaves() {
            @Override
            public void argument(int index) {
                assembler.load(Width.DOUBLE_WORD, R1, R10, Objects.requireNonNull(slots.get(index)));
            }

            @Override
            public void duration() {
                throw new IllegalArgumentException("a moment has no duration");
            }
        };
    }
}
