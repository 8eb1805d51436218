package dev.probestream.collector.program;

import dev.probestream.bpf.kernel.ProgramSpec;
import java.util.List;

/**
 * A program and where it belongs.
 *
 * @param program to be loaded
 * @param attachment the kind of place
 * @param tracepoint of a raw tracepoint its name, of a tracepoint {@code CATEGORY:EVENT}, else ""
 * @param probeIds the probes it serves; of a user function's program each is the cookie of its sites. Empty for the life
 *     of processes
 * @param isSpanReturn whether it ends what another program noted: what it misses stays open, and is no hit of its own
 */
public record PlannedProgram(
        ProgramSpec program, Attachment attachment, String tracepoint, List<Integer> probeIds, boolean isSpanReturn) {
    /** The kinds of place. */
    public enum Attachment {
        /** A uprobe at every location of the probes. */
        USER_ENTRY,
        /** A return uprobe at every location of the probes. */
        USER_RETURN,
        TRACEPOINT,
        RAW_TRACEPOINT
    }

    public PlannedProgram {
        probeIds = List.copyOf(probeIds);
    }
}
