package dev.probestream.sink;

import dev.probestream.schema.EventView;
import dev.probestream.sink.position.Position.CapturePosition;
import dev.probestream.sink.segment.OpenSegment;
import dev.probestream.sink.segment.Segment;
import dev.probestream.sink.segment.StackIds;
import dev.probestream.sink.spool.Spool;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** One capture in one partition: its position in finished files, and its open segment. */
final class CaptureReader {
    private final long captureId;
    private final PartitionReader partition;

    private long finishedOffset;
    private long finishedSequence;
    private long shownLossesOffset;
    private long lastPublishMs;

    /** The expected sequence of its next event. */
    private long nextSequence;

    private @Nullable OpenSegment open;
    private @Nullable Spool spool;
    private StackIds stacks = new StackIds();
    private int closedSegments;
    private long readNanos;
    private long readPublishMs;
    private long delivered = -1;
    private long tablesUpToOffset = -1;

    private CaptureReader(long captureId, PartitionReader partition) {
        this.captureId = captureId;
        this.partition = partition;
    }

    /** A capture without finished files. */
    static CaptureReader unknown(long captureId, PartitionReader partition, long nextSequence) {
        CaptureReader capture = new CaptureReader(captureId, partition);
        capture.nextSequence = nextSequence;
        return capture;
    }

    static CaptureReader at(CapturePosition position, PartitionReader partition) {
        CaptureReader capture = new CaptureReader(position.captureId(), partition);
        capture.finishedOffset = position.nextOffset();
        capture.finishedSequence = position.nextSequence();
        capture.shownLossesOffset = position.nextMetadataOffset();
        capture.lastPublishMs = position.lastPublishMs();
        capture.nextSequence = position.nextSequence();
        return capture;
    }

    long captureId() {
        return captureId;
    }

    PartitionReader partition() {
        return partition;
    }

    /** Its events below this offset are in finished files. */
    long finishedOffset() {
        return finishedOffset;
    }

    long nextSequence() {
        return nextSequence;
    }

    void setNextSequence(long sequence) {
        nextSequence = sequence;
    }

    /** Adds an event to the open segment; first closes that segment and opens another if the event does not belong in it. */
    void add(long offset, long publishMs, EventView event, long nowNanos, long newestPublishMs) throws IOException {
        long deliveryNs = OpenSegment.deliveryNs(event.timestampNs(), event.durationNs());
        if (open != null && !open.accepts(deliveryNs, event.lengthBytes())) {
            close(nowNanos);
        }
        OpenSegment segment = open;
        Spool events = spool;
        if (segment == null || events == null) {
            segment = partition.openSegment(captureId);
            events = partition.openSpool(captureId);
            open = segment;
            spool = events;
        }
        segment.add(offset, publishMs, event.sequence(), event.timestampNs(), deliveryNs, event.lengthBytes());
        stacks.add(event.stackId());
        events.append(event.buffer(), event.offset(), event.lengthBytes());
        readNanos = nowNanos;
        readPublishMs = newestPublishMs;
    }

    boolean isOpen() {
        return open != null;
    }

    /** {@link System#nanoTime} at which the open segment's last event was read. */
    long readNanos() {
        return readNanos;
    }

    /** The newest timestamp in the partition when the open segment's last event was read. */
    long readPublishMs() {
        return readPublishMs;
    }

    void setDelivered(long events) {
        delivered = events;
    }

    /** Whether the segment has the last event of the capture. */
    boolean isEndedBy(Segment segment) {
        return delivered >= 0 && segment.lastSequence() + 1 >= delivered;
    }

    /** Whether the capture has ended and all its events were read. */
    boolean isComplete() {
        return delivered >= 0 && nextSequence >= delivered;
    }

    long openEvents() {
        return open == null ? 0 : open.events();
    }

    long firstOpenOffset() {
        return open == null ? Long.MAX_VALUE : open.firstOffset();
    }

    /** Closes the open segment, if there is one. */
    void close(long nowNanos) {
        if (open != null && spool != null) {
            closedSegments++;
            partition.addClosed(new ClosedSegment(open.close(), spool, stacks, this, nowNanos));
            open = null;
            spool = null;
            stacks = new StackIds();
        }
    }

    /** Drops the open segment; closed segments belong to the partition. */
    void drop() throws IOException {
        Spool dropped = spool;
        open = null;
        spool = null;
        if (dropped != null) {
            dropped.delete();
        }
    }

    /** Whether it has neither an open nor a closed segment. */
    boolean isIdle() {
        return open == null && closedSegments == 0;
    }

    /** Called when the files of its oldest closed segment are in place. */
    void finished(Segment segment, long nextMetadataOffset) {
        closedSegments--;
        finishedOffset = segment.lastOffset() + 1;
        finishedSequence = segment.lastSequence() + 1;
        shownLossesOffset = nextMetadataOffset;
        lastPublishMs = segment.lastPublishMs();
    }

    /** Its losses, sums, gaps and costs below this offset of the metadata topic are in finished traces. */
    long shownLossesOffset() {
        return shownLossesOffset;
    }

    long lastPublishMs() {
        return lastPublishMs;
    }

    /** The offset of the newest metadata record that its tables were written from; -1 = they were not written. */
    long tablesUpToOffset() {
        return tablesUpToOffset;
    }

    void setTablesUpToOffset(long offset) {
        tablesUpToOffset = offset;
    }

    CapturePosition position() {
        return new CapturePosition(captureId, finishedOffset, finishedSequence, shownLossesOffset, lastPublishMs);
    }
}
