package dev.probestream.sink;

import dev.probestream.sink.segment.Segment;
import dev.probestream.sink.segment.StackIds;
import dev.probestream.sink.spool.Spool;

/** A slice that takes no more events and waits for its metadata. */
final class ClosedSegment {
    static final long UNKNOWN = -1;

    private final Segment slice;
    private final Spool spool;
    private final StackIds stacks;
    private final CaptureReader capture;
    private final long closedNanos;
    private long metadataEnd = UNKNOWN;

    ClosedSegment(Segment slice, Spool spool, StackIds stacks, CaptureReader capture, long closedNanos) {
        this.slice = slice;
        this.spool = spool;
        this.stacks = stacks;
        this.capture = capture;
        this.closedNanos = closedNanos;
    }

    Segment slice() {
        return slice;
    }

    Spool spool() {
        return spool;
    }

    /** The stacks that its events name. */
    StackIds stacks() {
        return stacks;
    }

    CaptureReader capture() {
        return capture;
    }

    long closedNanos() {
        return closedNanos;
    }

    /** The end of the metadata topic, asked for after the slice's last event was read, or {@link #UNKNOWN}. */
    long metadataEnd() {
        return metadataEnd;
    }

    void setMetadataEnd(long offset) {
        metadataEnd = offset;
    }
}
