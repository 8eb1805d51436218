package dev.probestream.collector.internal.program.layout;

import dev.probestream.schema.record.LossReason;

/**
 * Where in the per-CPU array {@link MapNames#LOSSES} the count for a probe and a reason stands. Probe 0 is the lifecycle of
 * processes.
 */
public final class LossIndex {
    private static final int REASONS = LossReason.values().length;

    private LossIndex() {}

    /** The key of the array. */
    @SuppressWarnings("EnumOrdinal") // the array lives as long as one capture
    public static int of(int probeId, LossReason reason) {
        return probeId * REASONS + reason.ordinal();
    }

    /** How many keys the array needs for probes up to {@code maxProbeId}. */
    public static int count(int maxProbeId) {
        return (maxProbeId + 1) * REASONS;
    }

    /** How many keys a probe has, one after the other in the order of the reasons. */
    public static int perProbe() {
        return REASONS;
    }
}
