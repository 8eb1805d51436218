package dev.probestream.sink;

import dev.probestream.sink.segment.Segment;
import dev.probestream.sink.segment.StackIds;
import dev.probestream.sink.spool.Spool;

/** A segment that is complete and waits for its metadata. */
final class ClosedSegment {
    static final long UNKNOWN = -1;

    private final Segment segment;
    private final Spool spool;
    private final StackIds stacks;
    private final CaptureReader capture;
    private final long closedNanos;
    private long metadataEnd = UNKNOWN;

    ClosedSegment(Segment segment, Spool spool, StackIds stacks, CaptureReader capture, long closedNanos) {
        this.segment = segment;
        this.spool = spool;
        this.stacks = stacks;
        this.capture = capture;
        this.closedNanos = closedNanos;
    }

    Segment segment() {
        return segment;
    }

    Spool spool() {
        return spool;
    }

    /** The stacks that its events refer to. */
    StackIds stacks() {
        return stacks;
    }

    CaptureReader capture() {
        return capture;
    }

    long closedNanos() {
        return closedNanos;
    }

    /** The end of the metadata topic, queried after the segment's last event was read, or {@link #UNKNOWN}. */
    long metadataEnd() {
        return metadataEnd;
    }

    void setMetadataEnd(long offset) {
        metadataEnd = offset;
    }
}
