package dev.probestream.collector.internal.capture;

import dev.probestream.bpf.machine.ClockReading;
import dev.probestream.collector.internal.event.EventDecoder;
import dev.probestream.collector.internal.event.LossCounter;
import dev.probestream.collector.internal.event.RingFill;
import dev.probestream.collector.publish.EventPublisher;
import dev.probestream.schema.record.Loss;
import java.util.List;
import java.util.OptionalLong;

/**
 * Publishes how many hits were lost, and when: as exactly as the looks at the ring tell, since all that is uncertain around lost hits
 * lasts as long as the times of losses. For the thread that reads the ring.
 */
final class LossPublisher {
    private static final long EVERY_NS = 1_000_000_000L;
    /** While the ring is full. */
    private static final long FULL_EVERY_NS = 100_000_000L;

    private final LossCounter losses;
    private final LossSums sums;
    private final CaptureRing ring;
    private final EventDecoder decoder;
    private final EventPublisher publisher;
    private RingFill fill;
    private Interval time = new Interval(EVERY_NS, 0);
    private Interval fullTime = new Interval(FULL_EVERY_NS, 0);

    LossPublisher(LossCounter losses, LossSums sums, CaptureRing ring, EventDecoder decoder, EventPublisher publisher) {
        this.losses = losses;
        this.sums = sums;
        this.ring = ring;
        this.decoder = decoder;
        this.publisher = publisher;
        this.fill = new RingFill(ring.sizeBytes(), 0);
    }

    /**
     * The window is opened next.
     *
     * @param startNs CLOCK_MONOTONIC
     */
    void begin(long startNs) {
        losses.begin(startNs);
        fill = new RingFill(ring.sizeBytes(), startNs);
        time = new Interval(EVERY_NS, startNs);
        fullTime = new Interval(FULL_EVERY_NS, startNs);
    }

    /**
     * The ring is read next.
     *
     * @param nowNs CLOCK_MONOTONIC, read before the pending bytes
     */
    void look(long nowNs, long pendingBytes) {
        fill.look(nowNs, ring.consumedBytes(), pendingBytes);
    }

    /** Whether the losses are to be published. */
    boolean isTime(long nowNs) {
        boolean isFullTime = fullTime.isOver(nowNs) && fill.mayHaveBeenFull();
        return time.isOver(nowNs) || isFullTime;
    }

    /** Publishes those since the last time. */
    void publish() {
        List<Loss> lost = losses.take(ClockReading::monotonicNowNs, this::fullSinceNs);
        for (Loss loss : lost) {
            decoder.publishProbe(loss.getProbeId());
            publisher.publish(loss);
        }
        sums.add(lost);
    }

    private OptionalLong fullSinceNs(long countedNs) {
        look(ClockReading.monotonicNowNs(), ring.pendingBytes());
        OptionalLong sinceNs = fill.sinceNs();
        fill.counted(countedNs);
        return sinceNs;
    }
}
