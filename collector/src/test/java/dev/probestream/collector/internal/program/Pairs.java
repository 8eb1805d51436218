package dev.probestream.collector.internal.program;

import dev.probestream.bpf.tracefs.TracepointFormat;
import dev.probestream.collector.internal.resolve.ResolvedProbe;
import dev.probestream.collector.internal.resolve.TracepointFinder;
import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.probe.SpanEnds;
import java.util.List;
import java.util.Optional;

/** Spans between two probes as if they had been found, without attach points. */
final class Pairs {
    private Pairs() {}

    /** Gives a tracepoint its format. */
    interface Formats {
        TracepointFormat of(ProbeSpec tracepoint) throws ResolveException;
    }

    /** With the formats of this kernel. */
    static ResolvedProbe resolved(int probeId, ProbeSpec pair) throws ResolveException {
        return resolved(
                probeId, pair, spec -> TracepointFinder.open().formats(spec).get(0));
    }

    static ResolvedProbe resolved(int probeId, ProbeSpec pair, Formats formats) throws ResolveException {
        SpanEnds ends = pair.ends().orElseThrow();
        return ResolvedProbe.ofPair(
                probeId, pair, List.of(end(ends.begin(), formats)), List.of(end(ends.end(), formats)));
    }

    private static ResolvedProbe end(ProbeSpec spec, Formats formats) throws ResolveException {
        return ResolvedProbe.of(
                0, spec, spec.kind() == ProbeKind.TRACEPOINT ? Optional.of(formats.of(spec)) : Optional.empty());
    }
}
