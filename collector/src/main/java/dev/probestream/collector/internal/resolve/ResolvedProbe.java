package dev.probestream.collector.internal.resolve;

import dev.probestream.bpf.tracefs.TracepointFormat;
import dev.probestream.bpf.usdt.UsdtArgument;
import dev.probestream.collector.internal.resolve.code.CallingConvention;
import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.UsdtPair;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A probe to be planned: one function, USDT probe, pair or kernel event, with all its locations and its id.
 *
 * @param probeId from 1; the first of {@link ProbeSpec#idCount} consecutive ids
 * @param spec what to record, its globs resolved and its types known
 * @param name as it is shown
 * @param module the file's path as the process sees it, or {@link #KERNEL}
 * @param format of a {@link ProbeKind#TRACEPOINT}, else empty
 * @param locations the instructions that uprobes are attached to, of a pair those of its end last; empty in the kernel
 * @param convention of a user function how it gets its arguments, else {@link CallingConvention#C}
 * @param ends of a {@link ProbeKind#PAIR} its two probes, else empty
 */
public record ResolvedProbe(
        int probeId,
        ProbeSpec spec,
        String name,
        String module,
        Optional<TracepointFormat> format,
        List<UprobeLocation> locations,
        CallingConvention convention,
        Optional<Ends> ends) {
    /**
     * What a {@link ProbeKind#PAIR} is attached to. A function, or a USDT probe, has as many probes as there are files with it.
     *
     * @param begin at least one; all have the id of the pair
     * @param end likewise
     */
    public record Ends(List<ResolvedProbe> begin, List<ResolvedProbe> end) {
        public Ends {
            begin = List.copyOf(begin);
            end = List.copyOf(end);
        }
    }

    /** {@link #module()} of a probe in the kernel. */
    public static final String KERNEL = "kernel";

    public ResolvedProbe {
        locations = locations.stream()
                .sorted(Comparator.comparing(location -> isEnd(spec, location)))
                .toList();
    }

    /** A probe without locations: one in the kernel, or one that the caller attaches. */
    public static ResolvedProbe of(int probeId, ProbeSpec spec, Optional<TracepointFormat> format) {
        return new ResolvedProbe(
                probeId,
                spec,
                spec.displayName(kernelName(spec)),
                KERNEL,
                format,
                List.of(),
                CallingConvention.C,
                Optional.empty());
    }

    /** The span between two probes. */
    public static ResolvedProbe ofPair(
            int probeId, ProbeSpec spec, List<ResolvedProbe> begin, List<ResolvedProbe> end) {
        String name = begin.get(0).name() + " -> " + end.get(0).name();
        return new ResolvedProbe(
                probeId,
                spec,
                spec.displayName(name),
                begin.get(0).module(),
                Optional.empty(),
                List.of(),
                CallingConvention.C,
                Optional.of(new Ends(withId(probeId, begin), withId(probeId, end))));
    }

    private static List<ResolvedProbe> withId(int probeId, List<ResolvedProbe> probes) {
        return probes.stream()
                .map(probe -> new ResolvedProbe(
                        probeId,
                        probe.spec,
                        probe.name,
                        probe.module,
                        probe.format,
                        probe.locations,
                        probe.convention,
                        Optional.empty()))
                .toList();
    }

    /** The probes that are attached for it: of a pair those of both its ends, else itself. */
    public List<ResolvedProbe> attached() {
        return ends.map(pair -> Stream.concat(pair.begin().stream(), pair.end().stream())
                        .toList())
                .orElse(List.of(this));
    }

    private static String kernelName(ProbeSpec spec) {
        return switch (spec.kind()) {
            case TRACEPOINT -> spec.module() + ":" + spec.function();
            case SYSCALLS, SCHED, SIGNALS, PROCESS -> spec.kind().spelling();
            case PROFILE -> "cpu sample";
            case RAWTRACEPOINT, SYSCALL, SYS_EXIT, UPROBE, URETPROBE, SPAN, USDT, USDTSPAN, USER, PAIR ->
                spec.function();
        };
    }

    /** The probe that a match stands for. */
    public static ResolvedProbe of(int probeId, ProbeMatch match, List<UprobeLocation> locations) {
        return new ResolvedProbe(
                probeId,
                match.spec(),
                match.name(),
                match.module(),
                Optional.empty(),
                locations,
                match.convention(),
                Optional.empty());
    }

    /** The same probe at these locations. */
    public ResolvedProbe at(List<UprobeLocation> others) {
        return new ResolvedProbe(probeId, spec, name, module, format, others, convention, ends);
    }

    /** The same probe with a spec that has more of what is recorded. */
    public ResolvedProbe recording(ProbeSpec recorded) {
        return new ResolvedProbe(probeId, recorded, name, module, format, locations, convention, ends);
    }

    /** The format of a {@link ProbeKind#TRACEPOINT}. */
    public TracepointFormat tracepoint() {
        return format.orElseThrow(() -> new IllegalArgumentException("no format is given for " + spec.text()));
    }

    /** Whether a pair ends at the location. */
    public boolean isEnd(UprobeLocation location) {
        return isEnd(spec, location);
    }

    /** The arguments at each location of a USDT probe; of a pair at those where it begins, or at those where it ends. */
    public List<List<UsdtArgument>> usdtArguments(boolean atEnd) {
        return locations.stream()
                .filter(location -> isEnd(location) == atEnd)
                .map(UprobeLocation::arguments)
                .toList();
    }

    private static boolean isEnd(ProbeSpec spec, UprobeLocation location) {
        return spec.kind() == ProbeKind.USDTSPAN
                && location.symbol().equals(UsdtPair.of(spec).end());
    }
}
