package dev.probestream.collector.internal.program.code;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R8;
import static dev.probestream.bpf.asm.Register.R9;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.ArgumentSlot;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.histogram.HistogramKeyPart;
import dev.probestream.collector.internal.program.layout.histogram.HistogramLayout;
import dev.probestream.collector.internal.program.options.ProgramOptions;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.collector.internal.program.snippet.ArgumentCode;
import dev.probestream.collector.internal.program.snippet.Fragments;
import dev.probestream.collector.internal.program.snippet.OpenCall;
import dev.probestream.collector.internal.program.snippet.SpanKey;
import dev.probestream.collector.internal.program.snippet.access.SavedAccess;
import dev.probestream.collector.internal.program.snippet.histogram.HistogramKeyCode;
import dev.probestream.collector.internal.program.snippet.histogram.HistogramValueCode;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.Filter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Writes the program that counts a call when it returns. Its entry is stored by {@link SpanEntryProgram}, with what the
 * key needs of the arguments; what is known at return only is read here. A return without an entry is ignored.
 */
public final class HistogramReturnProgram {
    private final Assembler assembler;
    private final SpanKey key;
    private final TargetFilter filter;
    private final Fragments fragments;
    private final ArgumentCode argumentCode;
    private final HistogramLayout layout;
    private final EventLayout entry;
    private final HistogramKeyCode keyCode;

    /**
     * @param argumentCode reading through {@link SavedAccess}, or what a pair has at its end
     * @param entry where the layout's arguments lie in a stored entry
     */
    public HistogramReturnProgram(
            Assembler assembler,
            SpanKey key,
            ProgramOptions options,
            ArgumentCode argumentCode,
            HistogramLayout layout,
            EventLayout entry) {
        this.assembler = assembler;
        this.key = key;
        this.filter = options.filter();
        this.fragments = new Fragments(assembler, filter);
        this.argumentCode = argumentCode;
        this.layout = layout;
        this.entry = entry;
        this.keyCode = new HistogramKeyCode(assembler, fragments, options, layout);
    }

    public List<Instruction> write(List<Integer> probeIds, Optional<Filter> condition, String pairingMap) {
        Label ignored = assembler.newLabel();
        Label rejected = assembler.newLabel();
        int lossKeySlot = assembler.stackSlot(Integer.BYTES);
        OpenCall call = new OpenCall(assembler, filter, key, pairingMap, probeIds, ignored);
        argumentCode.ofThread(call.threadSlot());
        call.rejectUnless(condition, argumentCode, rejected);
        argumentCode.prepare(
                layout.arguments().stream().filter(ArgumentSpec::atReturn).toList());
        keyCode.clear();
        assembler.load(Width.DOUBLE_WORD, R8, R9, EventLayout.UNAVAILABLE_OFFSET);
        layout.parts().forEach(part -> write(part, call));
        keyCode.writeValues(new HistogramValueCode(assembler, operands(call)));
        // The entry is done with: what it held is in the key.
        call.delete();
        if (call.mayBeEndedByOthers()) {
            assembler.jumpIf(Condition.NOT_EQUAL, R0, 0, ignored);
        }
        keyCode.count(call.threadSlot(), call.probe(), lossKeySlot);
        assembler.bind(ignored);
        fragments.exit();
        if (condition.isPresent()) {
            assembler.bind(rejected);
            call.delete();
            fragments.exit();
        }
        return assembler.assemble();
    }

    private void write(HistogramKeyPart part, OpenCall call) {
        if (part.source() != HistogramKeyPart.Source.ARGUMENT) {
            keyCode.write(
                    part,
                    call.threadSlot(),
                    call.probe(),
                    () -> assembler.load(Width.HALF, R0, R9, EventLayout.CPU_OFFSET));
            return;
        }
        ArgumentSpec argument = layout.arguments().get(part.argument());
        if (argument.atReturn()) {
            argumentCode.read(argument, part.argument(), part.slot(), R10, keyCode.slot());
            return;
        }
        int from = entry.arguments().get(part.argument()).offset();
        int to = keyCode.slot() + part.slot().offset();
        for (int i = 0; i < ArgumentSlot.sizeBytes(argument.type()); i += Long.BYTES) {
            assembler.load(Width.DOUBLE_WORD, R1, R9, from + i).store(Width.DOUBLE_WORD, R10, to + i, R1);
        }
    }

    /** Reads the arguments at the return that values are computed of; the others are in the entry. */
    private HistogramValueCode.Leaves operands(OpenCall call) {
        Map<Integer, Integer> slots = new HashMap<>();
        for (int index : layout.operands()) {
            ArgumentSpec argument = layout.arguments().get(index);
            if (argument.atReturn()) {
                int valueSlot = assembler.stackSlot(Long.BYTES);
                argumentCode.read(argument, index, new ArgumentSlot(argument.type(), 0, false), R10, valueSlot);
                slots.put(index, valueSlot);
            }
        }
        return new HistogramValueCode.Leaves() {
            @Override
            public void argument(int index) {
                if (slots.containsKey(index)) {
                    assembler.load(Width.DOUBLE_WORD, R1, R10, slots.get(index));
                } else {
                    int offset = entry.arguments().get(index).offset();
                    assembler.load(Width.DOUBLE_WORD, R1, R9, offset);
                }
            }

            @Override
            public void duration() {
                call.loadDuration();
            }
        };
    }
}
