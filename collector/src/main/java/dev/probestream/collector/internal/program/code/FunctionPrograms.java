package dev.probestream.collector.internal.program.code;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Instruction;
import dev.probestream.collector.internal.program.layout.ArgumentSlot;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.options.ProgramOptions;
import dev.probestream.collector.internal.program.snippet.ArgumentAccess;
import dev.probestream.collector.internal.program.snippet.ArgumentCode;
import dev.probestream.collector.internal.program.snippet.SpanEntry;
import dev.probestream.collector.internal.program.snippet.SpanKey;
import dev.probestream.collector.internal.program.snippet.access.ArgumentLocations;
import dev.probestream.collector.internal.program.snippet.access.FunctionAccess;
import dev.probestream.collector.internal.program.snippet.access.SavedAccess;
import dev.probestream.collector.internal.resolve.code.CallingConvention;
import dev.probestream.collector.probe.ArgumentSource;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.Filter;
import dev.probestream.collector.probe.ProbeSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;

/** Writes the programs of probes in user functions. */
public final class FunctionPrograms {
    private final ProgramOptions options;

    public FunctionPrograms(ProgramOptions options) {
        this.options = options;
    }

    /** The program at the entry or at the return, for probes that are one moment. */
    public List<Instruction> instant(
            List<Integer> probeIds, ProbeSpec spec, CallingConvention convention, EventLayout layout) {
        Assembler assembler = new Assembler();
        List<ArgumentSpec> arguments = new ArrayList<>(spec.arguments());
        List<ArgumentSlot> slots = new ArrayList<>(layout.arguments());
        spec.result().ifPresent(result -> {
            arguments.add(ArgumentSpec.of("result", ArgumentSource.RETURN_VALUE, result.type()));
            slots.add(new ArgumentSlot(result.type(), layout.returnOffset(), false));
        });
        return new InstantProgram(
                        assembler,
                        options.registers(),
                        options.filter(),
                        argumentCode(assembler, access(assembler, convention)),
                        spec.preset().wakes())
                .write(probeIds, spec.filter(), arguments, slots, layout);
    }

    /** The program that {@code writing} writes, which reads arguments at the entry. */
    public List<Instruction> write(
            CallingConvention convention, BiFunction<Assembler, ArgumentCode, List<Instruction>> writing) {
        Assembler assembler = new Assembler();
        return writing.apply(assembler, argumentCode(assembler, access(assembler, convention)));
    }

    public List<Instruction> spanEntry(
            List<Integer> probeIds,
            ProbeSpec spec,
            CallingConvention convention,
            Optional<Filter> filter,
            SpanEntry entry,
            String pairingMap) {
        Assembler assembler = new Assembler();
        return new SpanEntryProgram(
                        assembler,
                        SpanKey.atEntry(assembler, options.registers()),
                        options.filter(),
                        argumentCode(assembler, access(assembler, convention)),
                        pairingMap)
                .write(probeIds, filter, spec.arguments(), entry);
    }

    public List<Instruction> spanReturn(
            List<Integer> probeIds,
            ProbeSpec spec,
            CallingConvention convention,
            Optional<Filter> filter,
            SpanEntry entry,
            String pairingMap) {
        Assembler assembler = new Assembler();
        ArgumentAccess access = new SavedAccess(assembler, entry, access(assembler, convention));
        return new SpanReturnProgram(
                        assembler,
                        options.registers(),
                        SpanKey.atReturn(assembler, options.registers()),
                        options.filter(),
                        argumentCode(assembler, access),
                        pairingMap)
                .write(probeIds, filter, spec.arguments(), spec.result(), entry.layout());
    }

    /** The program of a span that ends where the next begins. */
    public List<Instruction> phase(
            List<Integer> probeIds, ProbeSpec spec, CallingConvention convention, EventLayout layout) {
        Assembler assembler = new Assembler();
        ArgumentCode arguments = argumentCode(assembler, access(assembler, convention));
        return new PhaseProgram(assembler, options.registers(), options.filter(), arguments)
                .write(probeIds, spec.arguments(), layout);
    }

    private FunctionAccess access(Assembler assembler, CallingConvention convention) {
        ArgumentLocations locations = new ArgumentLocations(options.registers(), convention);
        return new FunctionAccess(assembler, options.registers(), locations, options.sleepableUprobes());
    }

    private ArgumentCode argumentCode(Assembler assembler, ArgumentAccess access) {
        return new ArgumentCode(assembler, access, options.sleepableUprobes(), options.kernelOffsets());
    }
}
