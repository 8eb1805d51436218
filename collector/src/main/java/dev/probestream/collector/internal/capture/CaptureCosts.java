package dev.probestream.collector.internal.capture;

import dev.probestream.collector.cost.CostReading;
import dev.probestream.collector.internal.cost.CostMeter;
import dev.probestream.collector.publish.EventPublisher;
import dev.probestream.schema.record.Cost;
import dev.probestream.schema.record.ProbeCost;
import java.util.List;
import java.util.function.IntConsumer;

/** Measures what a capture costs its targets, and publishes it every ten seconds and at the end. */
final class CaptureCosts implements AutoCloseable {
    private static final long READ_EVERY_NS = 1_000_000_000L;
    private static final int READINGS_PER_RECORD = 10;

    private final long captureId;
    private final CostMeter meter;
    private final EventPublisher publisher;
    private final IntConsumer describe;
    private CostReading latest = CostReading.NONE;
    private CostReading published = CostReading.NONE;
    private Interval readTime = new Interval(READ_EVERY_NS, 0);
    private int readings;

    /** @param describe publishes the record of a probe, if that has not been done */
    CaptureCosts(long captureId, CostMeter meter, EventPublisher publisher, IntConsumer describe) {
        this.captureId = captureId;
        this.meter = meter;
        this.publisher = publisher;
        this.describe = describe;
    }

    /** The window is opened next. */
    void begin(long nowNs, List<Integer> pids) {
        meter.begin(nowNs, pids);
        latest = new CostReading(nowNs, nowNs, 0, List.of());
        published = latest;
        readTime = new Interval(READ_EVERY_NS, nowNs);
    }

    /** Does what is due; to be called often. */
    void turn(long nowNs) {
        meter.turn(nowNs);
        if (readTime.isOver(nowNs)) {
            latest = meter.read(nowNs);
            if (++readings % READINGS_PER_RECORD == 0) {
                publish();
            }
        }
    }

    /** Ends an interval and publishes it: from now on others are watched. */
    void cut(long nowNs) {
        latest = meter.read(nowNs);
        publish();
    }

    /** What the capture has cost so far, not older than a second. */
    CostReading latest() {
        return latest;
    }

    /** The targets' CPU time is that of now; what they hit is complete only in {@link #end}. */
    void closeWindow(long nowNs) {
        latest = meter.read(nowNs);
    }

    /** The programs have ended. */
    CostReading end() {
        latest = meter.end(latest.toNs(), latest.targetCpuNs());
        publish();
        return latest;
    }

    private void publish() {
        CostReading added = latest.since(published);
        added.probes().forEach(probe -> describe.accept(probe.probeId()));
        publisher.publish(new Cost(
                captureId,
                added.fromNs(),
                added.toNs(),
                added.targetCpuNs(),
                added.probes().stream()
                        .map(probe -> new ProbeCost(probe.probeId(), probe.hits(), probe.programNs(), probe.trapNs()))
                        .toList()));
        published = latest;
    }

    @Override
    public void close() {
        meter.close();
    }
}
