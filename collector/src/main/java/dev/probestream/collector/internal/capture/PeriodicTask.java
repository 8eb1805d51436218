package dev.probestream.collector.internal.capture;

import java.util.function.LongConsumer;

/** Something that the reading thread does every so often. */
final class PeriodicTask {
    private final Interval interval;
    private final LongConsumer work;

    /** @param work takes the time at which it is done */
    PeriodicTask(Interval interval, LongConsumer work) {
        this.interval = interval;
        this.work = work;
    }

    /** Does it if it is due. */
    void turn(long nowNs) {
        if (interval.isOver(nowNs)) {
            work.accept(nowNs);
        }
    }
}
