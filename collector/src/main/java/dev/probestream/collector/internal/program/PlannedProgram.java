package dev.probestream.collector.internal.program;

import dev.probestream.bpf.kernel.ProgramSpec;
import dev.probestream.collector.internal.resolve.ResolvedProbe;
import dev.probestream.collector.internal.resolve.UprobeLocation;
import dev.probestream.collector.probe.PresetTraits.Attaching;
import java.util.List;

/**
 * A program and where it is attached.
 *
 * @param program to be loaded
 * @param attachment where it is attached
 * @param probeIds the probes it serves; empty for the programs of the task lifecycle
 * @param isSpanReturn whether it ends what another program began, at a return or at the other probe of a pair: a hit that it
 *     misses leaves a span open, and is no lost hit of its own
 * @param category of all its probes; "" of those that have none
 * @param attaching when it is attached: as all its probes are
 */
public record PlannedProgram(
        ProgramSpec program,
        Attachment attachment,
        List<Integer> probeIds,
        boolean isSpanReturn,
        String category,
        Attaching attaching) {
    /**
     * Where a program is attached.
     *
     * @param tracepoint of a raw tracepoint its name, of a tracepoint {@code CATEGORY:EVENT}, else ""
     * @param tracepointId of a tracepoint its number in tracefs, else 0
     * @param frequencyHz of a clock, else 0
     * @param uprobes of a user function or a USDT probe its attach points, else empty
     */
    public record Attachment(Kind kind, String tracepoint, int tracepointId, int frequencyHz, List<Uprobe> uprobes) {
        /** What a program is attached to. */
        public enum Kind {
            /** Uprobes. */
            USER_ENTRY,
            /** Return uprobes. */
            USER_RETURN,
            TRACEPOINT,
            RAW_TRACEPOINT,
            /** The clock of every cpu. */
            CPU_CLOCK
        }

        public Attachment {
            uprobes = List.copyOf(uprobes);
        }

        static Attachment entries(List<Uprobe> uprobes) {
            return new Attachment(Kind.USER_ENTRY, "", 0, 0, uprobes);
        }

        static Attachment entriesOf(List<ResolvedProbe> probes) {
            return entries(Uprobe.of(probes));
        }

        static Attachment returnsOf(List<ResolvedProbe> probes) {
            return new Attachment(Kind.USER_RETURN, "", 0, 0, Uprobe.of(probes));
        }

        static Attachment tracepoint(ResolvedProbe probe) {
            String event = probe.spec().module() + ":" + probe.spec().function();
            return new Attachment(Kind.TRACEPOINT, event, probe.tracepoint().id(), 0, List.of());
        }

        static Attachment rawTracepoint(String name) {
            return new Attachment(Kind.RAW_TRACEPOINT, name, 0, 0, List.of());
        }

        static Attachment cpuClock(int frequencyHz) {
            return new Attachment(Kind.CPU_CLOCK, "", 0, frequencyHz, List.of());
        }
    }

    /**
     * An attach point of a probe in user space.
     *
     * @param probeId the cookie of its link, where links can carry cookies
     */
    public record Uprobe(int probeId, UprobeLocation location) {
        private static List<Uprobe> of(List<ResolvedProbe> probes) {
            return probes.stream()
                    .flatMap(probe -> probe.locations().stream().map(location -> new Uprobe(probe.probeId(), location)))
                    .toList();
        }
    }

    public PlannedProgram {
        probeIds = List.copyOf(probeIds);
    }

    /** One whose category and attaching are found when the plan is made. */
    PlannedProgram(ProgramSpec program, Attachment attachment, List<Integer> probeIds, boolean isSpanReturn) {
        this(program, attachment, probeIds, isSpanReturn, "", Attaching.AT_START);
    }
}
