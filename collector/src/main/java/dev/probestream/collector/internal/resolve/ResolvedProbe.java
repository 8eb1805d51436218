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
 */
public record ResolvedProbe(
        int probeId,
        ProbeSpec spec,
        String name,
        String module,
        Optional<TracepointFormat> format,
        List<UprobeLocation> locations,
        CallingConvention convention) {
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
                probeId, spec, spec.displayName(kernelName(spec)), KERNEL, format, List.of(), CallingConvention.C);
    }

    private static String kernelName(ProbeSpec spec) {
        return switch (spec.kind()) {
            case TRACEPOINT -> spec.module() + ":" + spec.function();
            case SYSCALLS, SCHED, SIGNALS, PROCESS -> spec.kind().spelling();
            case PROFILE -> "cpu sample";
            case RAWTRACEPOINT, UPROBE, URETPROBE, SPAN, USDT, USDTSPAN, USER -> spec.function();
        };
    }

    /** The probe that a match stands for. */
    public static ResolvedProbe of(int probeId, ProbeMatch match, List<UprobeLocation> locations) {
        return new ResolvedProbe(
                probeId, match.spec(), match.name(), match.module(), Optional.empty(), locations, match.convention());
    }

    /** The same probe at these locations. */
    public ResolvedProbe at(List<UprobeLocation> others) {
        return new ResolvedProbe(probeId, spec, name, module, format, others, convention);
    }

    /** The same probe with a spec that has more of what is recorded. */
    public ResolvedProbe recording(ProbeSpec recorded) {
        return new ResolvedProbe(probeId, recorded, name, module, format, locations, convention);
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
