package dev.probestream.collector.program;

import dev.probestream.bpf.tracefs.TracepointFormat;
import dev.probestream.bpf.usdt.UsdtArgument;
import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.program.layout.SyscallProbes;
import dev.probestream.collector.resolve.code.CallingConvention;
import java.util.List;
import java.util.Optional;

/**
 * A probe to be planned: a spec whose globs are resolved, so that it is one function or event, and its id.
 *
 * @param probeId from 1; the first of {@link #idCount} ids in a row
 * @param spec what to record
 * @param format of a {@link ProbeKind#TRACEPOINT}, else empty
 * @param sites of a {@link ProbeKind#USDT} probe the arguments at each of its sites, of a {@link ProbeKind#USDTSPAN} at
 *     those where it begins, else empty
 * @param endSites likewise where a {@link ProbeKind#USDTSPAN} ends, else empty
 * @param convention of a user function how it gets its arguments, else {@link CallingConvention#C}
 */
public record NumberedProbe(
        int probeId,
        ProbeSpec spec,
        Optional<TracepointFormat> format,
        List<List<UsdtArgument>> sites,
        List<List<UsdtArgument>> endSites,
        CallingConvention convention) {
    public NumberedProbe {
        sites = List.copyOf(sites);
        endSites = List.copyOf(endSites);
    }

    /** A probe that is none of USDT. */
    public NumberedProbe(int probeId, ProbeSpec spec, Optional<TracepointFormat> format) {
        this(probeId, spec, format, List.of(), List.of(), CallingConvention.C);
    }

    /** A USDT probe whose spec says what is recorded: {@link UsdtArguments#recorded}. */
    public static NumberedProbe usdt(int probeId, ProbeSpec spec, List<List<UsdtArgument>> sites) {
        return usdt(probeId, spec, sites, List.of());
    }

    /** Likewise, or a pair of USDT probes. */
    public static NumberedProbe usdt(
            int probeId, ProbeSpec spec, List<List<UsdtArgument>> sites, List<List<UsdtArgument>> endSites) {
        return new NumberedProbe(probeId, spec, Optional.empty(), sites, endSites, CallingConvention.C);
    }

    /** The same probe of a function that gets its arguments so. */
    public NumberedProbe withConvention(CallingConvention newConvention) {
        return new NumberedProbe(probeId, spec, format, sites, endSites, newConvention);
    }

    /** How many ids a probe of this kind takes: one per event it can write. */
    public static int idCount(ProbeKind kind) {
        return switch (kind) {
            case UPROBE, URETPROBE, SPAN, USDT, USDTSPAN, USER, TRACEPOINT, RAWTRACEPOINT, PROFILE -> 1;
            case SCHED -> 2;
            case SYSCALLS -> SyscallProbes.COUNT;
        };
    }
}
