package dev.probestream.collector.program;

import dev.probestream.bpf.kernel.ProgramSpec;
import dev.probestream.collector.program.snippet.PlannedSite;
import java.util.List;

/**
 * A program and where it belongs.
 *
 * @param program to be loaded
 * @param attachment the kind of place
 * @param tracepoint of a raw tracepoint its name, of a tracepoint {@code CATEGORY:EVENT}, else ""
 * @param probeIds the probes it serves; of a user function's program each is the cookie of its sites. Empty for the life
 *     of processes
 * @param isSpanReturn whether it ends what another program noted, at a return or at the other probe of a pair: what it misses stays open, and is no hit of its own
 * @param sites of USDT probes: those it serves, for which others may have programs of their own; empty = all places of the
 *     probes
 */
public record PlannedProgram(
        ProgramSpec program,
        Attachment attachment,
        String tracepoint,
        List<Integer> probeIds,
        boolean isSpanReturn,
        List<PlannedSite> sites) {
    /** The kinds of place. */
    public enum Attachment {
        /** A uprobe at every location of the probes. */
        USER_ENTRY,
        /** A return uprobe at every location of the probes. */
        USER_RETURN,
        TRACEPOINT,
        RAW_TRACEPOINT,
        /** The clock of every cpu, as often as the probe says. */
        CPU_CLOCK
    }

    public PlannedProgram {
        probeIds = List.copyOf(probeIds);
        sites = List.copyOf(sites);
    }

    /** Whether it is for this of the places of a probe. */
    public boolean serves(int probeId, int place) {
        return sites.isEmpty() ? probeIds.contains(probeId) : sites.contains(new PlannedSite(probeId, place));
    }

    /** A program for all places of its probes. */
    PlannedProgram(
            ProgramSpec program,
            Attachment attachment,
            String tracepoint,
            List<Integer> probeIds,
            boolean isSpanReturn) {
        this(program, attachment, tracepoint, probeIds, isSpanReturn, List.of());
    }
}
