package dev.probestream.collector.internal.program;

import dev.probestream.collector.internal.program.snippet.SpanKey;
import dev.probestream.collector.internal.program.snippet.access.TracepointArguments;
import dev.probestream.collector.internal.resolve.ResolvedProbe;
import dev.probestream.collector.internal.resolve.ResolvedProbe.Ends;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ProbeArgumentException;
import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.SpanEnds;
import java.util.ArrayList;
import java.util.List;

/**
 * The arguments of a span between two probes, with the types that the probes declare.
 *
 * @param all what is recorded: of the begin, then of the end, the latter read at the return
 * @param ofBegin the values that pair a begin with its end; empty = its thread does
 * @param ofEnd the same values at the end, in the same order
 * @param isOfProcess whether values pair hits of one process only: both ends are in user space, where each process gives
 *     values of its own
 */
record PairArguments(
        List<ArgumentSpec> all, List<SpanKey.Value> ofBegin, List<SpanKey.Value> ofEnd, boolean isOfProcess) {
    /** The bits of {@code Event.unavailable}, of which the last is the returned value's. */
    private static final int MAX_ARGUMENTS = 63;

    PairArguments {
        all = List.copyOf(all);
        ofBegin = List.copyOf(ofBegin);
        ofEnd = List.copyOf(ofEnd);
    }

    /**
     * Joins the arguments of both ends.
     *
     * @throws ProbeArgumentException when an end lacks a key, or has one that is no integer, or both have too many arguments
     */
    static PairArguments of(ResolvedProbe pair) {
        Ends probes = pair.ends().orElseThrow();
        SpanEnds ends = pair.spec().ends().orElseThrow();
        ResolvedProbe begin = probes.begin().get(0);
        ResolvedProbe end = probes.end().get(0);
        List<ArgumentSpec> all = ends.arguments(typed(begin), typed(end));
        if (all.size() > MAX_ARGUMENTS) {
            throw new ProbeArgumentException(
                    pair.spec(),
                    "both ends have " + all.size() + " arguments, at most " + MAX_ARGUMENTS
                            + " can be recorded: list those that matter");
        }
        List<SpanKey.Value> ofBegin = new ArrayList<>();
        List<SpanKey.Value> ofEnd = new ArrayList<>();
        for (String name : ends.keys()) {
            ArgumentSpec first = key(pair.spec(), begin, name);
            ArgumentSpec second = key(pair.spec(), end, name);
            int sizeBytes = Math.min(first.type().capacityBytes(), second.type().capacityBytes());
            ofBegin.add(new SpanKey.Value(first, sizeBytes));
            ofEnd.add(new SpanKey.Value(second, sizeBytes));
        }
        return new PairArguments(all, ofBegin, ofEnd, isOfFile(probes.begin()) && isOfFile(probes.end()));
    }

    private static boolean isOfFile(List<ResolvedProbe> probes) {
        return probes.get(0).spec().kind().isInUserSpace();
    }

    private static List<ArgumentSpec> typed(ResolvedProbe probe) {
        return probe.spec().kind() == ProbeKind.TRACEPOINT
                ? TracepointArguments.of(probe.spec(), probe.tracepoint()).arguments()
                : probe.spec().arguments();
    }

    private static ArgumentSpec key(ProbeSpec pair, ResolvedProbe probe, String name) {
        List<ArgumentSpec> arguments = typed(probe);
        ArgumentSpec key = arguments.stream()
                .filter(argument -> argument.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new ProbeArgumentException(
                        pair,
                        probe.name() + " has no argument " + name + "; it has "
                                + String.join(
                                        ", ",
                                        arguments.stream()
                                                .map(ArgumentSpec::name)
                                                .toList())));
        boolean isInteger = !key.type().isText()
                && !key.type().form().isFloat()
                && !key.type().form().isAddress();
        if (!isInteger) {
            throw new ProbeArgumentException(
                    pair, name + " of " + probe.name() + " is no integer: only integers can be keys");
        }
        return key;
    }
}
