package dev.probestream.sink;

import dev.probestream.schema.EventView;
import dev.probestream.sink.position.CapturePosition;
import dev.probestream.sink.segment.OpenSegment;
import dev.probestream.sink.segment.Segment;
import dev.probestream.sink.segment.StackIds;
import dev.probestream.sink.spool.Spool;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** One capture in one partition: what of it is in finished files, and the slice in the making. */
final class CaptureReader {
    private final long captureId;
    private final PartitionReader partition;

    private long finishedOffset;
    private long finishedSequence;
    private long shownLossesOffset;
    private long lastPublishMs;

    /** The sequence that its next event should have. */
    private long nextSequence;

    private @Nullable OpenSegment open;
    private @Nullable Spool spool;
    private StackIds stacks = new StackIds();
    private int closedSlices;
    private long readNanos;
    private long tablesOfRecords;

    private CaptureReader(long captureId, PartitionReader partition) {
        this.captureId = captureId;
        this.partition = partition;
    }

    /** One of which no finished file knows. */
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

    /** Puts an event into its slice; closes the one before if the event does not belong into it. */
    void add(long offset, long publishMs, EventView event, long nowNanos) throws IOException {
        long deliveryNs = OpenSegment.deliveryNs(event.timestampNs(), event.durationNs());
        if (open != null && !open.accepts(deliveryNs, event.lengthBytes())) {
            close(nowNanos);
        }
        OpenSegment slice = open;
        Spool events = spool;
        if (slice == null || events == null) {
            slice = partition.openSlice(captureId);
            events = partition.openSpool(captureId);
            open = slice;
            spool = events;
        }
        slice.add(offset, publishMs, event.sequence(), event.timestampNs(), deliveryNs, event.lengthBytes());
        stacks.add(event.stackId());
        events.append(event.buffer(), event.offset(), event.lengthBytes());
        readNanos = nowNanos;
    }

    boolean isOpen() {
        return open != null;
    }

    /** {@link System#nanoTime} at which the open slice's last event was read. */
    long readNanos() {
        return readNanos;
    }

    long openEvents() {
        return open == null ? 0 : open.events();
    }

    long firstOpenOffset() {
        return open == null ? Long.MAX_VALUE : open.firstOffset();
    }

    /** The open slice, if there is one, takes no more events. */
    void close(long nowNanos) {
        if (open != null && spool != null) {
            closedSlices++;
            partition.closed(new ClosedSegment(open.close(), spool, stacks, this, nowNanos));
            open = null;
            spool = null;
            stacks = new StackIds();
        }
    }

    /** Drops the open slice; closed ones are the partition's. */
    void drop() throws IOException {
        Spool dropped = spool;
        open = null;
        spool = null;
        if (dropped != null) {
            dropped.delete();
        }
    }

    /** Whether nothing of it is on its way into a file. */
    boolean isIdle() {
        return open == null && closedSlices == 0;
    }

    /** The files of its oldest closed slice are in their places. */
    void finished(Segment slice, long nextMetadataOffset) {
        closedSlices--;
        finishedOffset = slice.lastOffset() + 1;
        finishedSequence = slice.lastSequence() + 1;
        shownLossesOffset = nextMetadataOffset;
        lastPublishMs = slice.lastPublishMs();
    }

    /** Its losses below this offset of the metadata topic are in finished traces. */
    long shownLossesOffset() {
        return shownLossesOffset;
    }

    long lastPublishMs() {
        return lastPublishMs;
    }

    /** How many metadata records its tables were made of. */
    long tablesOfRecords() {
        return tablesOfRecords;
    }

    void setTablesOfRecords(long records) {
        tablesOfRecords = records;
    }

    CapturePosition position() {
        return new CapturePosition(captureId, finishedOffset, finishedSequence, shownLossesOffset, lastPublishMs);
    }
}
