package dev.probestream.sink;

import dev.probestream.sink.metadata.CaptureMetadata;
import dev.probestream.sink.metadata.MetadataTopic;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.errors.TimeoutException;

/**
 * Decides when enough is known of a capture to convert a slice: the metadata topic was read to an end that was asked for
 * after the slice's last event, and the capture and every stack that the slice names are there. Who does not send them
 * is waited for {@value #PATIENCE_S} s, counted from the newest record of that capture, and no longer than
 * {@value #LIMIT_S} s; a slice that was published long ago has waited already.
 */
final class MetadataWait {
    private static final int PATIENCE_S = 10;
    private static final int LIMIT_S = 60;
    private static final int SAID_AFTER_S = 3;
    private static final Duration ANSWER = Duration.ofSeconds(5);

    private final MetadataTopic topic;
    private final WaitReports waits;

    MetadataWait(MetadataTopic topic, WaitReports waits) {
        this.topic = topic;
        this.waits = waits;
    }

    /** Asks for the topic's end once for all slices that were closed since. */
    void askForEnd(Collection<PartitionReader> readers) {
        List<ClosedSegment> unasked = readers.stream()
                .flatMap(reader -> reader.closed().stream())
                .filter(slice -> slice.metadataEnd() == ClosedSegment.UNKNOWN)
                .toList();
        if (unasked.isEmpty()) {
            return;
        }
        try {
            long end = topic.endOffset(ANSWER);
            unasked.forEach(slice -> slice.setMetadataEnd(end));
        } catch (TimeoutException e) {
            // The broker is away: the watch says so, and the next round asks again.
        }
    }

    boolean isOver(ClosedSegment slice, long nowNanos) {
        if (slice.metadataEnd() == ClosedSegment.UNKNOWN || !isRead(slice.metadataEnd())) {
            return false;
        }
        CaptureMetadata capture = topic.store().of(slice.slice().captureId());
        if (isComplete(slice, capture)) {
            return true;
        }
        long waitedNanos = nowNanos - slice.closedNanos();
        long quietNanos =
                Math.min(waitedNanos, capture.records() == 0 ? waitedNanos : nowNanos - capture.newestNanos());
        long publishedMs = System.currentTimeMillis() - slice.slice().lastPublishMs();
        boolean isGivenUp = quietNanos > TimeUnit.SECONDS.toNanos(PATIENCE_S)
                || waitedNanos > TimeUnit.SECONDS.toNanos(LIMIT_S)
                || publishedMs > TimeUnit.SECONDS.toMillis(LIMIT_S);
        if (!isGivenUp && waitedNanos > TimeUnit.SECONDS.toNanos(SAID_AFTER_S)) {
            waits.begin(
                    SinkWait.METADATA,
                    "capture " + slice.slice().captureId()
                            + " has not sent all that describes its events up to sequence "
                            + slice.slice().lastSequence() + "; waiting a little before its file is written without");
        }
        return isGivenUp;
    }

    private boolean isRead(long end) {
        try {
            return topic.position(ANSWER) >= end;
        } catch (TimeoutException e) {
            return false;
        }
    }

    private static boolean isComplete(ClosedSegment slice, CaptureMetadata capture) {
        return capture.isDescribed() && missingStacks(slice, capture) == 0;
    }

    /** How many of the slice's stacks are not there. */
    static int missingStacks(ClosedSegment slice, CaptureMetadata capture) {
        return slice.stacks().count(stackId -> !capture.stacks().contains(stackId));
    }
}
