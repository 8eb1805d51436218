package dev.probestream.collector.internal.resolve;

import dev.probestream.bpf.tracefs.TracefsException;
import dev.probestream.collector.probe.ResolveException;

/** A failure of tracefs as the failure of the probe that needs it. */
public final class TracefsFailure {
    private TracefsFailure() {}

    /** Returns the exception for the user of the probe; the cause is kept. */
    public static ResolveException of(TracefsException e) {
        return new ResolveException(
                e.isDenied() ? ResolveException.Reason.NOT_PERMITTED : ResolveException.Reason.NO_FILE,
                String.valueOf(e.getMessage()),
                e);
    }
}
