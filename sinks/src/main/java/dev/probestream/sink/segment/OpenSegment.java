package dev.probestream.sink.segment;

/**
 * A slice in the making. It looks at nothing but its own events, so that reading again from its first event makes it
 * again, whatever was before.
 */
public final class OpenSegment {
    private final long captureId;
    private final int partition;
    private final Rolling rolling;
    private final long sliceNs;
    private final long gapNs;

    private long firstOffset;
    private long lastOffset;
    private long firstSequence;
    private long lastSequence;
    private long events;
    private long sizeBytes;
    private long startNs = Long.MAX_VALUE;
    private long firstDeliveryNs;
    private long latestDeliveryNs = Long.MIN_VALUE;
    private long firstPublishMs;
    private long lastPublishMs;

    public OpenSegment(long captureId, int partition, Rolling rolling) {
        this.captureId = captureId;
        this.partition = partition;
        this.rolling = rolling;
        this.sliceNs = rolling.slice().toNanos();
        this.gapNs = rolling.gap().toNanos();
    }

    /** When an event was read from the ring, as near as its own times tell: its end, or its time where it has no end. */
    public static long deliveryNs(long timestampNs, long durationNs) {
        return timestampNs + Math.max(0, durationNs);
    }

    /** Whether an event belongs into this slice; if not, the slice is to be closed before it. */
    public boolean accepts(long deliveryNs, int eventBytes) {
        if (events == 0) {
            return true;
        }
        return events < rolling.maxEvents()
                && sizeBytes + eventBytes <= rolling.maxBytes()
                && deliveryNs - firstDeliveryNs < sliceNs
                && deliveryNs - latestDeliveryNs < gapNs;
    }

    /** Takes an event that it accepts. */
    public void add(long offset, long publishMs, long sequence, long timestampNs, long deliveryNs, int eventBytes) {
        if (events++ == 0) {
            firstOffset = offset;
            firstSequence = sequence;
            firstDeliveryNs = deliveryNs;
            firstPublishMs = publishMs;
        }
        lastOffset = offset;
        lastSequence = sequence;
        lastPublishMs = publishMs;
        sizeBytes += eventBytes;
        startNs = Math.min(startNs, timestampNs);
        latestDeliveryNs = Math.max(latestDeliveryNs, deliveryNs);
    }

    public long firstOffset() {
        return firstOffset;
    }

    public long events() {
        return events;
    }

    /** As it is now; it must have events. */
    public Segment close() {
        return new Segment(
                captureId,
                partition,
                firstOffset,
                lastOffset,
                firstSequence,
                lastSequence,
                events,
                sizeBytes,
                startNs,
                latestDeliveryNs,
                firstPublishMs,
                lastPublishMs);
    }
}
