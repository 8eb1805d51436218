package dev.probestream.collector.program;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Instruction;
import dev.probestream.collector.probe.ArgumentSource;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ProbeSpec;
import java.util.ArrayList;
import java.util.List;

/** Writes the programs of probes in user functions. */
final class FunctionPrograms {
    private final ProgramOptions options;

    FunctionPrograms(ProgramOptions options) {
        this.options = options;
    }

    /** The program at the entry or at the return, for probes that are one moment. */
    List<Instruction> instant(List<Integer> probeIds, ProbeSpec spec, EventLayout layout) {
        Assembler assembler = new Assembler();
        List<ArgumentSpec> arguments = new ArrayList<>(spec.arguments());
        List<ArgumentSlot> slots = new ArrayList<>(layout.arguments());
        spec.result().ifPresent(result -> {
            arguments.add(ArgumentSpec.of("result", ArgumentSource.RETURN_VALUE, result.type()));
            slots.add(new ArgumentSlot(result.type(), layout.returnOffset(), false));
        });
        return new InstantProgram(assembler, options.filter(), argumentCode(assembler, registers(assembler)))
                .write(probeIds, spec.condition(), arguments, slots, layout);
    }

    List<Instruction> spanEntry(List<Integer> probeIds, ProbeSpec spec, SpanEntry entry, String pairingMap) {
        Assembler assembler = new Assembler();
        return new SpanEntryProgram(
                        assembler,
                        options.registers(),
                        options.filter(),
                        argumentCode(assembler, registers(assembler)),
                        pairingMap)
                .write(probeIds, spec.condition(), spec.arguments(), entry);
    }

    List<Instruction> spanReturn(List<Integer> probeIds, ProbeSpec spec, SpanEntry entry, String pairingMap) {
        Assembler assembler = new Assembler();
        ArgumentAccess access = new SavedAccess(assembler, entry, registers(assembler));
        return new SpanReturnProgram(
                        assembler, options.registers(), options.filter(), argumentCode(assembler, access), pairingMap)
                .write(probeIds, spec.arguments(), spec.result(), entry.layout());
    }

    private FunctionAccess registers(Assembler assembler) {
        return new FunctionAccess(assembler, options.registers());
    }

    private ArgumentCode argumentCode(Assembler assembler, ArgumentAccess access) {
        return new ArgumentCode(assembler, access, options.sleepableUprobes());
    }
}
