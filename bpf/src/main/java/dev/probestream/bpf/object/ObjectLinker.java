package dev.probestream.bpf.object;

import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.btf.BtfKind;
import dev.probestream.bpf.btf.CoreTypes;
import dev.probestream.bpf.kernel.AttachType;
import dev.probestream.bpf.kernel.ProgramSection;
import dev.probestream.bpf.kernel.ProgramSpec;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Makes whole programs of an object for one kernel: behind each program stand the subprograms that it calls, directly or
 * not, each once; calls and relocations are resolved. As bpf_object__relocate of tools/lib/bpf/libbpf.c.
 */
final class ObjectLinker {
    /** Bounds the memory for an object of many programs that all call the same large function. */
    private static final int MAX_INSTRUCTIONS_TOGETHER = 4_000_000;

    private final ObjectContents object;
    private final KernelFacts kernel;
    private final ObjectIndex recorded;
    private final ReferencedSymbols symbols;
    private final Optional<CoreTypes> coreTypes;
    private int instructionsTogether;

    ObjectLinker(ObjectContents object, KernelFacts kernel) throws BpfObjectException {
        this.object = object;
        this.kernel = kernel;
        this.recorded = new ObjectIndex(object);
        this.symbols = new ReferencedSymbols(object, kernel);
        this.coreTypes = kernel.types().map(types -> new CoreTypes(object.btf(), types));
    }

    /** Whether a program refers to a variable of .kconfig, which must be in a map then. */
    boolean usesKernelVersion() {
        return symbols.usesKernelVersion();
    }

    /**
     * Links one program.
     *
     * @param section what its section says, perhaps with another target
     */
    ProgramSpec link(ObjectFunction program, ProgramSection section) throws IOException {
        ProgramLink link = newLink();
        link.begin(program);
        return new ProgramSpec(
                program.name(),
                section.type(),
                section.attachType(),
                section.isSleepable() ? ProgramSpec.BPF_F_SLEEPABLE : 0,
                attachBtfId(program, section),
                instructions(link, program.section(), program.name()),
                link.compiled(section.name()));
    }

    /**
     * Links an assembled program with the functions that it calls; one that calls none stays as it is.
     *
     * @param standIn the name of the function whose type and line its own instructions get
     */
    ProgramSpec link(ProgramSpec assembled, String standIn) throws IOException {
        if (assembled.instructions().stream().noneMatch(Instruction::isLinkedCall)) {
            return assembled;
        }
        ObjectFunction function = recorded.subprogram(standIn);
        ProgramLink link = newLink();
        link.begin(assembled.instructions());
        return assembled.linked(
                instructions(link, function.section(), assembled.name()),
                link.compiled(function, assembled.functionStarts()));
    }

    private ProgramLink newLink() {
        return new ProgramLink(object, recorded, symbols, coreTypes, MAX_INSTRUCTIONS_TOGETHER - instructionsTogether);
    }

    private List<Instruction> instructions(ProgramLink link, int section, String program) throws BpfObjectException {
        instructionsTogether += link.count();
        return link.toInstructions()
                .orElseThrow(() -> object.malformed(section, 0, "program " + program + " uses a register beyond r10"));
    }

    private int attachBtfId(ObjectFunction program, ProgramSection section) throws IOException {
        boolean isTracepoint = section.attachType() == AttachType.TRACE_RAW_TP;
        boolean isFunction =
                section.attachType() == AttachType.TRACE_FENTRY || section.attachType() == AttachType.TRACE_FEXIT;
        if (!isTracepoint && !isFunction) {
            return 0;
        }
        OptionalInt id = isTracepoint
                ? kernel.typeId("btf_trace_" + section.target(), BtfKind.TYPEDEF)
                : kernel.typeId(section.target(), BtfKind.FUNCTION);
        if (id.isEmpty()) {
            throw object.malformed(
                    program.section(),
                    (long) program.start() * Instruction.SIZE_BYTES,
                    "the kernel's types have no " + (isTracepoint ? "tracepoint '" : "function '") + section.target()
                            + "' to attach " + program.name() + " to");
        }
        return id.getAsInt();
    }
}
