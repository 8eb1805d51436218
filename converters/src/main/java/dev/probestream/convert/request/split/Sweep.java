package dev.probestream.convert.request.split;

import java.util.EnumSet;
import java.util.Set;

/**
 * Adds up, moment after moment, what a request was doing. Times must not go back; those that do are taken for the latest
 * one, so that no moment counts twice.
 */
public final class Sweep {
    private static final RequestPhase[] PARTS = RequestPhase.values();

    private final long startNs;
    private final int[] active = new int[PARTS.length];
    private final long[] sumsNs = new long[PARTS.length];
    /** The sums as they were at the mark. */
    private final long[] markedNs = new long[PARTS.length];

    private long atNs;
    private long markedAtNs;

    /** It is in no phase yet. */
    public Sweep(long startNs) {
        this.startNs = startNs;
        this.atNs = startNs;
        this.markedAtNs = startNs;
    }

    /** What it did from its start to then was something else; for as long as it did nothing but wait. */
    public void wasDoing(RequestPhase part, long untilNs) {
        long waitedNs = Math.min(atNs, untilNs) - startNs;
        RequestPhase waiting = RequestPhase.NETWORK;
        if (waitedNs > 0 && sumsNs[waiting.slot()] == atNs - startNs) {
            sumsNs[waiting.slot()] -= waitedNs;
            sumsNs[part.slot()] += waitedNs;
        }
    }

    /** It is doing that, perhaps several times at once. */
    public void begin(RequestPhase part, long fromNs) {
        advance(fromNs);
        active[part.slot()]++;
    }

    /** Once for each {@link #begin} of the phase. */
    public void end(RequestPhase part, long toNs) {
        advance(toNs);
        active[part.slot()]--;
    }

    /** When the last mark was made. */
    public long markedAtNs() {
        return markedAtNs;
    }

    /** The request may have ended then: {@link #split} covers the time up to the last mark. */
    public void mark(long endNs) {
        advance(endNs);
        advance(endNs);
        markedAtNs = endNs;
        System.arraycopy(sumsNs, 0, markedNs, 0, sumsNs.length);
    }

    private void advance(long toNs) {
        if (toNs > atNs) {
            sumsNs[now().slot()] += toNs - atNs;
            atNs = toNs;
        }
    }

    private RequestPhase now() {
        for (RequestPhase part : PARTS) {
            if (active[part.slot()] > 0) {
                return part;
            }
        }
        return RequestPhase.UNATTRIBUTED;
    }

    /** From the start to the end, which the last mark was for. Parts that are not known are -1, see {@link TimeSplit}. */
    public TimeSplit split(long endNs, Set<RequestPhase> known) {
        long[] parts = markedNs.clone();
        fit(parts, endNs - startNs);
        Set<RequestPhase> unknown = EnumSet.complementOf(EnumSet.copyOf(known));
        unknown.remove(RequestPhase.UNATTRIBUTED);
        for (RequestPhase part : unknown) {
            boolean isOnLoop = part.compareTo(RequestPhase.JAVASCRIPT) < 0;
            RequestPhase around = isOnLoop && !unknown.contains(RequestPhase.JAVASCRIPT)
                    ? RequestPhase.JAVASCRIPT
                    : RequestPhase.UNATTRIBUTED;
            parts[around.slot()] += parts[part.slot()];
            parts[part.slot()] = -1;
        }
        return new TimeSplit(
                parts[RequestPhase.JAVASCRIPT.slot()],
                parts[RequestPhase.GC.slot()],
                parts[RequestPhase.OFF_CPU.slot()],
                parts[RequestPhase.LOOP_WAIT.slot()],
                parts[RequestPhase.POOL_QUEUE.slot()],
                parts[RequestPhase.POOL_RUN.slot()],
                parts[RequestPhase.NETWORK.slot()],
                parts[RequestPhase.UNATTRIBUTED.slot()]);
    }

    /** Events that came late have moved the mark: what is too much is taken from where least is known. */
    private static void fit(long[] parts, long durationNs) {
        long excessNs = -durationNs;
        for (long part : parts) {
            excessNs += part;
        }
        for (int i = PARTS.length - 1; i >= 0 && excessNs > 0; i--) {
            long takenNs = Math.min(excessNs, parts[i]);
            parts[i] -= takenNs;
            excessNs -= takenNs;
        }
        parts[RequestPhase.UNATTRIBUTED.slot()] -= Math.min(0, excessNs);
    }
}
