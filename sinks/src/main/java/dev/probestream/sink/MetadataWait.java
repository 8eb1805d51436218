package dev.probestream.sink;

import dev.probestream.sink.metadata.CaptureMetadata;
import dev.probestream.sink.metadata.MetadataTopic;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.errors.TimeoutException;

/**
 * Decides when the metadata of a capture suffices to convert a segment: the metadata topic was read to the end it had
 * after the segment's last event, and the capture and every stack that the segment refers to are there. Missing metadata
 * is waited for until {@value #QUIET_LIMIT_S} s after the newest record of that capture, and no longer than
 * {@value #LIMIT_S} s; a segment whose events ended more than {@value #OLD_S} s ago is converted without waiting.
 */
final class MetadataWait {
    private static final int QUIET_LIMIT_S = 10;
    private static final int LIMIT_S = 60;
    /** Longer than a collector holds events back while brokers are away; their metadata comes with them. */
    private static final int OLD_S = 900;

    private static final int REPORT_AFTER_S = 3;
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(5);

    private final MetadataTopic topic;
    private final WaitReports waits;

    MetadataWait(MetadataTopic topic, WaitReports waits) {
        this.topic = topic;
        this.waits = waits;
    }

    /** Queries the topic's end once for all segments that were closed since the last call. */
    void queryEnd(Collection<PartitionReader> readers) {
        List<ClosedSegment> withoutEnd = readers.stream()
                .flatMap(reader -> reader.closed().stream())
                .filter(closed -> closed.metadataEnd() == ClosedSegment.UNKNOWN)
                .toList();
        if (withoutEnd.isEmpty()) {
            return;
        }
        try {
            long end = topic.endOffset(ANSWER_LIMIT);
            withoutEnd.forEach(closed -> closed.setMetadataEnd(end));
        } catch (TimeoutException e) {
            // The broker does not answer: TopicWatch reports it, and the next round queries again.
        }
    }

    boolean isOver(ClosedSegment closed, long nowNanos) {
        if (closed.metadataEnd() == ClosedSegment.UNKNOWN || !isRead(closed.metadataEnd())) {
            return false;
        }
        CaptureMetadata capture = topic.store().of(closed.segment().captureId());
        if (isComplete(closed, capture)) {
            return true;
        }
        long waitedNanos = nowNanos - closed.closedNanos();
        long quietNanos =
                Math.min(waitedNanos, capture.newestOffset() < 0 ? waitedNanos : nowNanos - capture.newestNanos());
        long ageMs = System.currentTimeMillis() - closed.segment().lastPublishMs();
        boolean isTimedOut = quietNanos > TimeUnit.SECONDS.toNanos(QUIET_LIMIT_S)
                || waitedNanos > TimeUnit.SECONDS.toNanos(LIMIT_S)
                || ageMs > TimeUnit.SECONDS.toMillis(OLD_S);
        if (!isTimedOut && waitedNanos > TimeUnit.SECONDS.toNanos(REPORT_AFTER_S)) {
            waits.begin(
                    SinkWait.METADATA,
                    "capture " + closed.segment().captureId()
                            + " has not sent all metadata of its events up to sequence "
                            + closed.segment().lastSequence(),
                    "its file is written without them if they do not arrive within a minute");
        }
        return isTimedOut;
    }

    private boolean isRead(long end) {
        try {
            return topic.position(ANSWER_LIMIT) >= end;
        } catch (TimeoutException e) {
            return false;
        }
    }

    private static boolean isComplete(ClosedSegment closed, CaptureMetadata capture) {
        return capture.isDescribed() && missingStacks(closed, capture) == 0;
    }

    /** How many of the segment's stacks are missing in the metadata. */
    static int missingStacks(ClosedSegment closed, CaptureMetadata capture) {
        return closed.stacks().count(stackId -> !capture.stacks().contains(stackId));
    }
}
