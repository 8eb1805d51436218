package dev.probestream.collector.internal.program;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Instruction;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.options.ProgramOptions;
import dev.probestream.collector.internal.program.snippet.ArgumentCode;
import dev.probestream.collector.probe.ProbeSpec;
import java.util.List;
import java.util.Optional;

/**
 * Work in the kernel for which probes of user functions, or returns of system calls, have programs of their own, by the role in their preset: their hits are no events,
 * but become some in {@code event}. A part owns its maps; it is in {@link #ALL}, and nothing else names it.
 */
interface FunctionPart {
    List<FunctionPart> ALL = List.of(new StreamPart(), new WebSocketPart());

    /**
     * What a probe does in a part.
     *
     * @param role one of the part's own
     */
    record Member(FunctionPart part, Enum<?> role) {}

    /** The part that has this probe; empty: its hits are events. */
    static Optional<Member> of(ProbeSpec spec) {
        return ALL.stream()
                .flatMap(part -> part.role(spec).map(role -> new Member(part, role)).stream())
                .findFirst();
    }

    /** The probe's role in this part; empty: it has none. */
    Optional<? extends Enum<?>> role(ProbeSpec spec);

    /** The beginning of the names of its programs. */
    String programName();

    /** Whether a probe of this role, if it is at the return of a system call, has it noted when the call is entered. */
    boolean needsEntries(Enum<?> role);

    /** Size of the largest value that its programs begin as zeros; 0 = there is none. */
    int zeroSizeBytes();

    /**
     * The program of its probes that record alike; their arguments must have the names that the role asks for.
     *
     * @param role one that {@link #role} returned
     */
    List<Instruction> program(
            Assembler assembler,
            ArgumentCode arguments,
            ProgramOptions options,
            List<Integer> probeIds,
            ProbeSpec spec,
            Enum<?> role,
            EventLayout layout);

    /**
     * Adds the maps that all its programs share.
     *
     * @param category of its probes
     */
    void addMaps(PlanParts parts, String category);
}
