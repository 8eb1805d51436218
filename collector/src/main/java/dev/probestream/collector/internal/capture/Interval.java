package dev.probestream.collector.internal.capture;

/** Something that is due every so often. */
final class Interval {
    private final long everyNs;
    private long nextNs;

    /** @param startNs the first is due one interval later */
    Interval(long everyNs, long startNs) {
        this.everyNs = everyNs;
        this.nextNs = startNs + everyNs;
    }

    /** Whether it is due; then the next one is due one interval from now. */
    boolean isOver(long nowNs) {
        if (nowNs < nextNs) {
            return false;
        }
        nextNs = nowNs + everyNs;
        return true;
    }
}
