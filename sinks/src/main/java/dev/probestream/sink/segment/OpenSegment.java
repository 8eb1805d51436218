package dev.probestream.sink.segment;

/**
 * A segment that is being filled. It depends on its own events only, so that reading again from its first event gives the
 * same segment.
 */
public final class OpenSegment {
    private final long captureId;
    private final int partition;
    private final Rolling rolling;
    private final long maxSpanNs;
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
        this.maxSpanNs = rolling.maxSpan().toNanos();
        this.gapNs = rolling.gap().toNanos();
    }

    /** When an event was read from the ring, estimated by its own times: its end, or its start if it has no end. */
    public static long deliveryNs(long timestampNs, long durationNs) {
        return timestampNs + Math.max(0, durationNs);
    }

    /** Whether an event belongs in this segment; if not, the segment must be closed first. */
    public boolean accepts(long deliveryNs, int eventBytes) {
        if (events == 0) {
            return true;
        }
        return events < rolling.maxEvents()
                && sizeBytes + eventBytes <= rolling.maxBytes()
                && deliveryNs - firstDeliveryNs < maxSpanNs
                && deliveryNs - latestDeliveryNs < gapNs;
    }

    /** Adds an event; {@link #accepts} must be true for it. */
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

    /** Returns the segment, which must have events. */
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
