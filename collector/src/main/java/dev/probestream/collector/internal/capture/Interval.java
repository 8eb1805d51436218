package dev.probestream.collector.internal.capture;

/** Something that is due every so often. */
final class Interval {
    private final long everyNs;
    private final long changeNs;
    private final long laterEveryNs;
    private long nextNs;

    /** @param startNs the first is due one interval later */
    Interval(long everyNs, long startNs) {
        this(everyNs, startNs, Long.MAX_VALUE, everyNs);
    }

    private Interval(long everyNs, long startNs, long changeNs, long laterEveryNs) {
        this.everyNs = everyNs;
        this.changeNs = changeNs;
        this.laterEveryNs = laterEveryNs;
        this.nextNs = startNs + everyNs;
    }

    /** The same; what is due after {@code changeNs} is due at another interval. */
    Interval then(long changesAtNs, long otherEveryNs) {
        return new Interval(everyNs, nextNs - everyNs, changesAtNs, otherEveryNs);
    }

    /** Whether it is due; then the next one is due one interval from now. */
    boolean isOver(long nowNs) {
        if (nowNs < nextNs) {
            return false;
        }
        nextNs = nowNs + (nowNs >= changeNs ? laterEveryNs : everyNs);
        return true;
    }
}
