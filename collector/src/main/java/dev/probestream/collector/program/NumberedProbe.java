package dev.probestream.collector.program;

import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.resolve.TracepointFormat;
import java.util.Optional;

/**
 * A probe to be planned: a spec whose globs are resolved, so that it is one function or event, and its id.
 *
 * @param probeId from 1; the first of {@link #idCount} ids in a row
 * @param spec what to record
 * @param format of a {@link ProbeKind#TRACEPOINT}, else empty
 */
public record NumberedProbe(int probeId, ProbeSpec spec, Optional<TracepointFormat> format) {

    /** How many ids a probe of this kind takes: one per event it can write. */
    public static int idCount(ProbeKind kind) {
        return switch (kind) {
            case UPROBE, URETPROBE, SPAN, USDT, USER, TRACEPOINT, RAWTRACEPOINT -> 1;
            case SCHED -> 2;
            case SYSCALLS -> SyscallProbes.COUNT;
        };
    }
}
