package dev.probestream.sink;

import dev.probestream.schema.EventView;
import dev.probestream.schema.MalformedEventException;
import dev.probestream.schema.message.EventMessage;
import dev.probestream.schema.message.MessageFormatException;
import dev.probestream.schema.message.MessageFraming;
import dev.probestream.schema.message.MetadataMessage;
import dev.probestream.schema.registry.SchemaRegistryException;
import dev.probestream.sink.position.Position;
import dev.probestream.sink.position.Position.CapturePosition;
import dev.probestream.sink.segment.OpenSegment;
import dev.probestream.sink.segment.Rolling;
import dev.probestream.sink.spool.Spool;
import dev.probestream.sink.spool.SpoolFolder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/** One partition of the events topic, read from its position on: sorts its messages by capture and collects them into segments. */
final class PartitionReader {
    /** A capture without events for this long is dropped from the position; its next event is reported as a gap. */
    private static final long FORGET_AFTER_MS = 7L * 24 * 60 * 60 * 1000;

    private static final int MAX_IDLE_CAPTURES = 2048;

    private final int partition;
    private final Rolling rolling;
    private final MessageFraming framing;
    private final SpoolFolder spools;
    private final WantedEvents wanted;
    private final CaptureMetadataSource metadata;
    private final SinkListener listener;
    private final Counts counts;
    private final EventView view = new EventView();
    private final Map<Long, CaptureReader> captures = new HashMap<>();
    private final List<ClosedSegment> closed = new ArrayList<>();
    private @Nullable CaptureReader last;
    private long nextOffset;
    private long newestPublishMs;

    PartitionReader(
            int partition,
            Rolling rolling,
            MessageFraming framing,
            SpoolFolder spools,
            WantedEvents wanted,
            CaptureMetadataSource metadata,
            SinkListener listener,
            Counts counts) {
        this.partition = partition;
        this.rolling = rolling;
        this.framing = framing;
        this.spools = spools;
        this.wanted = wanted;
        this.metadata = metadata;
        this.listener = listener;
        this.counts = counts;
    }

    /** Must be called first. */
    void start(Position position, long firstOffset) throws IOException {
        nextOffset = firstOffset;
        for (CapturePosition capture : position.captures()) {
            add(CaptureReader.at(capture, this));
        }
    }

    int partition() {
        return partition;
    }

    private void add(CaptureReader capture) throws IOException {
        capture.setDelivered(metadata.delivered(capture.captureId()));
        captures.put(capture.captureId(), capture);
    }

    /** The capture has ended; {@code delivered} is the number of its events. */
    void end(long captureId, long delivered) {
        CaptureReader capture = captures.get(captureId);
        if (capture != null) {
            capture.setDelivered(delivered);
        }
    }

    /** Processes the next message of the partition. */
    void take(ConsumerRecord<byte[], byte[]> message, long nowNanos) throws IOException {
        nextOffset = message.offset() + 1;
        byte[] value = message.value();
        String defect = value == null ? "it has no value" : defectOf(message, value);
        if (defect != null) {
            leaveOut(message.offset(), defect);
            return;
        }
        if (!isKnown(view.captureId()) && !isFromHere(message)) {
            leaveOut(message.offset(), "the events of capture " + view.captureId() + " were sent to another partition");
            return;
        }
        counts.eventsRead++;
        counts.bytesRead += view.lengthBytes();
        newestPublishMs = Math.max(newestPublishMs, message.timestamp());
        CaptureReader capture = capture(view.captureId());
        if (message.offset() < capture.finishedOffset()) {
            return; // already in a finished file; read again because another capture is behind
        }
        if (follows(capture, nowNanos)) {
            capture.setNextSequence(view.sequence() + 1);
            if (isWanted()) {
                capture.add(message.offset(), message.timestamp(), view, nowNanos, newestPublishMs);
            }
        }
    }

    private boolean isKnown(long captureId) {
        CaptureReader known = last;
        return (known != null && known.captureId() == captureId) || captures.containsKey(captureId);
    }

    /** A copy in another partition would be a doubled row: the numbers of events are compared within a partition only. */
    private boolean isFromHere(ConsumerRecord<byte[], byte[]> message) {
        Header sentTo = message.headers().lastHeader(EventMessage.PARTITION_HEADER);
        return sentTo == null || new String(sentTo.value(), StandardCharsets.UTF_8).equals(Integer.toString(partition));
    }

    private void leaveOut(long offset, String reason) {
        counts.unreadable++;
        listener.unreadable(partition, offset, reason);
    }

    /** Wraps the view around the event of a message; returns what is wrong with the message, or null. */
    private @Nullable String defectOf(ConsumerRecord<byte[], byte[]> message, byte[] value) throws IOException {
        try {
            int end = view.wrap(value, EventMessage.bodyOffset(value, framing), value.length);
            return end == value.length ? null : "malformed message: bytes follow its event at byte " + end;
        } catch (MessageFormatException e) {
            if (e.isSchemaUnknown() && message.key() != null) {
                refuseIfNewer(message.key());
            }
            return String.valueOf(e.getMessage());
        } catch (SchemaRegistryException e) {
            if (message.headers().lastHeader(EventMessage.PARTITION_HEADER) != null) {
                throw e; // an event: the position must not pass it
            }
            return String.valueOf(e.getMessage());
        } catch (MalformedEventException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private void refuseIfNewer(byte[] key) throws IOException {
        long captureId;
        try {
            captureId = MetadataMessage.captureId(key);
        } catch (MessageFormatException e) {
            return; // none of ours: the caller reports the value
        }
        if (wanted.isCaptureWanted(captureId)) {
            metadata.refuseIfNewer(captureId);
        }
    }

    private boolean isWanted() throws IOException {
        if (!wanted.isCaptureWanted(view.captureId())) {
            return false;
        }
        if (!wanted.isAll()) {
            metadata.load(view.captureId());
        }
        return wanted.isWanted(view);
    }

    private CaptureReader capture(long captureId) throws IOException {
        CaptureReader known = last;
        if (known == null || known.captureId() != captureId) {
            known = captures.get(captureId);
            if (known == null) {
                known = CaptureReader.unknown(captureId, this, wanted.isAll() ? 0 : view.sequence());
                add(known);
            }
            last = known;
        }
        return known;
    }

    /** Whether the event's sequence is new; an event after a gap begins a new segment. */
    private boolean follows(CaptureReader capture, long nowNanos) {
        long missing = view.sequence() - capture.nextSequence();
        if (missing == 0) {
            return true;
        }
        if (missing < 0) {
            counts.duplicates++;
            listener.duplicates(partition, capture.captureId(), 1);
            return false;
        }
        counts.missing += missing;
        listener.gap(partition, capture.captureId(), capture.nextSequence(), missing);
        capture.close(nowNanos);
        return true;
    }

    OpenSegment openSegment(long captureId) throws IOException {
        metadata.load(captureId);
        return new OpenSegment(captureId, partition, rolling);
    }

    Spool openSpool(long captureId) {
        return spools.spool(partition, captureId);
    }

    void addClosed(ClosedSegment segment) {
        closed.add(segment);
    }

    /** Segments that wait for their metadata, in the order in which they were closed. */
    List<ClosedSegment> closed() {
        return closed;
    }

    Collection<CaptureReader> captures() {
        return captures.values();
    }

    int openSegments() {
        return closed.size()
                + (int) captures.values().stream().filter(CaptureReader::isOpen).count();
    }

    void closeAll(long nowNanos) {
        captures.values().forEach(capture -> capture.close(nowNanos));
    }

    /**
     * Closes the segments of captures that are complete, and those that have been idle for too long: in the time of the
     * topic, which may be read faster than it was written, or in real time when it has been read to its end.
     */
    void closeSegments(long nowNanos, boolean isAtEnd) {
        long idleNanos = rolling.idle().toNanos();
        long idleMs = rolling.idle().toMillis();
        for (CaptureReader capture : captures.values()) {
            if (capture.isOpen()
                    && (capture.isComplete()
                            || newestPublishMs - capture.readPublishMs() > idleMs
                            || (isAtEnd && nowNanos - capture.readNanos() >= idleNanos))) {
                capture.close(nowNanos);
            }
        }
    }

    /**
     * Drops captures that have had no events for a week, or the longest idle ones if there are very many: collectors that
     * were killed leave captures without an end.
     */
    void forgetOld() {
        long lowWater = position().lowWater();
        captures.values()
                .removeIf(capture -> isForgettable(capture, lowWater)
                        && newestPublishMs - capture.lastPublishMs() > FORGET_AFTER_MS
                        && capture.lastPublishMs() > 0);
        if (captures.size() > 2 * MAX_IDLE_CAPTURES) {
            captures.values().stream()
                    .filter(capture -> isForgettable(capture, lowWater))
                    .sorted(Comparator.comparingLong(CaptureReader::lastPublishMs)
                            .thenComparingLong(CaptureReader::finishedOffset))
                    .limit(captures.size() - MAX_IDLE_CAPTURES)
                    .toList()
                    .forEach(this::forget);
        }
        last = null;
    }

    private static boolean isForgettable(CaptureReader capture, long lowWater) {
        return capture.isIdle() && capture.finishedOffset() <= lowWater;
    }

    /** Drops the state of a capture that is complete. */
    void forget(CaptureReader capture) {
        captures.remove(capture.captureId());
        last = null;
    }

    /** The position up to which events are in finished files. */
    Position position() {
        long lowWater = nextOffset;
        for (ClosedSegment waiting : closed) {
            lowWater = Math.min(lowWater, waiting.segment().firstOffset());
        }
        List<CapturePosition> positions = new ArrayList<>();
        for (CaptureReader capture : captures.values()) {
            lowWater = Math.min(lowWater, capture.firstOpenOffset());
            if (capture.finishedOffset() > 0) {
                positions.add(capture.position());
            }
        }
        return new Position(lowWater, positions);
    }

    /** Drops everything that is not in finished files; returns the number of events dropped. */
    long drop() throws IOException {
        long events = 0;
        for (ClosedSegment waiting : closed) {
            events += waiting.segment().events();
            waiting.spool().delete();
        }
        closed.clear();
        for (CaptureReader capture : captures.values()) {
            events += capture.openEvents();
            capture.drop();
        }
        captures.clear();
        last = null;
        return events;
    }
}
