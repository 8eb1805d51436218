package dev.probestream.convert.request;

import java.util.EnumSet;
import java.util.Set;

/**
 * Adds up, moment after moment, what a request was doing. Times must not go back; those that do are taken for the latest
 * one, so that no moment counts twice.
 */
final class Sweep {
    private static final Part[] PARTS = Part.values();

    private final long startNs;
    private final int[] active = new int[PARTS.length];
    private final long[] sumsNs = new long[PARTS.length];
    /** The sums as they were at the mark. */
    private final long[] markedNs = new long[PARTS.length];

    private long atNs;
    private long markedAtNs;

    Sweep(long startNs) {
        this.startNs = startNs;
        this.atNs = startNs;
        this.markedAtNs = startNs;
    }

    /** It is doing that, perhaps several times at once. */
    void begin(Part part, long fromNs) {
        advance(fromNs);
        active[part.slot()]++;
    }

    void end(Part part, long toNs) {
        advance(toNs);
        active[part.slot()]--;
    }

    /** When the last mark was made. */
    long markedAtNs() {
        return markedAtNs;
    }

    /** The request may have ended then: {@link #split} speaks of the time up to the last mark. */
    void mark(long endNs) {
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

    private Part now() {
        for (Part part : PARTS) {
            if (active[part.slot()] > 0) {
                return part;
            }
        }
        return Part.UNATTRIBUTED;
    }

    /** From the start to the end, which the last mark was for. Parts that are not known are -1, see {@link TimeSplit}. */
    TimeSplit split(long endNs, Set<Part> known) {
        long[] parts = markedNs.clone();
        fit(parts, endNs - startNs);
        Set<Part> unknown = EnumSet.complementOf(EnumSet.copyOf(known));
        unknown.remove(Part.UNATTRIBUTED);
        for (Part part : unknown) {
            boolean isOnLoop = part.compareTo(Part.JAVASCRIPT) < 0;
            Part around = isOnLoop && !unknown.contains(Part.JAVASCRIPT) ? Part.JAVASCRIPT : Part.UNATTRIBUTED;
            parts[around.slot()] += parts[part.slot()];
            parts[part.slot()] = -1;
        }
        return new TimeSplit(
                parts[Part.JAVASCRIPT.slot()],
                parts[Part.GC.slot()],
                parts[Part.OFF_CPU.slot()],
                parts[Part.LOOP_WAIT.slot()],
                parts[Part.POOL_QUEUE.slot()],
                parts[Part.POOL_RUN.slot()],
                parts[Part.NETWORK.slot()],
                parts[Part.UNATTRIBUTED.slot()]);
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
        parts[Part.UNATTRIBUTED.slot()] -= Math.min(0, excessNs);
    }
}
