package dev.probestream.cli.sink;

import dev.probestream.cli.metrics.SinkMetrics;
import dev.probestream.cli.terminal.Quantity;
import dev.probestream.cli.terminal.ServiceLog;
import dev.probestream.cli.terminal.Terminal;
import dev.probestream.sink.FinishedSegment;
import dev.probestream.sink.SinkListener;
import dev.probestream.sink.SinkOutcome;
import dev.probestream.sink.SinkProgress;
import dev.probestream.sink.SinkWait;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/** The log lines and metrics of a sink. */
final class SinkReport implements SinkListener {
    private static final int MORE_UNREADABLE = 10;

    private final Path folder;
    private final ServiceLog log;
    private final Terminal terminal;
    private final SinkMetrics metrics;
    private final boolean endsByItself;
    private long unreadable;
    private long reportedUnreadable;
    private String firstUnreadable = "";

    SinkReport(Path folder, ServiceLog log, Terminal terminal, SinkMetrics metrics, boolean endsByItself) {
        this.folder = folder;
        this.log = log;
        this.terminal = terminal;
        this.metrics = metrics;
        this.endsByItself = endsByItself;
    }

    @Override
    public void assigned(Set<Integer> partitions) {
        log.log("reading " + words(partitions));
    }

    @Override
    public void revoked(Set<Integer> partitions, long droppedEvents) {
        String dropped = droppedEvents == 0
                ? ""
                : "; " + Quantity.count(droppedEvents, "event") + " of open segments will be read again there";
        log.log(words(partitions) + " moved to another instance" + dropped);
    }

    @Override
    public void finished(FinishedSegment slice) {
        metrics.finished(
                slice.events(),
                slice.files().size(),
                slice.sizeBytes(),
                slice.took().toNanos());
        String offsets = ", capture " + slice.captureId() + ", partition " + slice.partition() + ", offsets "
                + slice.firstOffset() + ".." + slice.lastOffset();
        String size = " (" + Quantity.bytes(slice.sizeBytes()) + ", took "
                + Quantity.duration(slice.took().toNanos()) + ")";
        String more = slice.files().size() > 1 ? " and " + (slice.files().size() - 1) + " more" : "";
        String first = slice.files().isEmpty()
                ? "nothing"
                : folder.toAbsolutePath()
                        .relativize(slice.files().get(0).toAbsolutePath())
                        .toString();
        log.log("finished " + first + more + ": " + Quantity.count(slice.events(), "event") + offsets + size);
        slice.warnings().forEach(log::log);
    }

    @Override
    public void waiting(SinkWait reason, String message) {
        metrics.waiting(word(reason), true);
        log.log("waiting: " + message);
    }

    @Override
    public void resumed(SinkWait reason) {
        metrics.waiting(word(reason), false);
        log.log("resumed: no longer waiting for the " + word(reason));
    }

    @Override
    public void duplicates(int partition, long captureId, long count) {
        metrics.duplicates(count);
        log.log("left out " + Quantity.count(count, "event") + " of capture " + captureId + " in partition " + partition
                + ": they are duplicates in the topic");
    }

    @Override
    public void gap(int partition, long captureId, long firstSequence, long count) {
        metrics.missing(count);
        log.log("MISSING " + Quantity.count(count, "event") + " of capture " + captureId + " from sequence "
                + firstSequence + " on: they are not in partition " + partition + " of the topic");
    }

    @Override
    public void unreadable(int partition, long offset, String reason) {
        metrics.unreadable("events");
        if (unreadable == 0) {
            firstUnreadable = "the first, at offset " + offset + " of partition " + partition + ": " + reason;
        }
        unreadable++;
    }

    /** Logs how many messages were left out, if there are more than at the last time. */
    void reportUnreadable() {
        if (unreadable > reportedUnreadable) {
            log.log("left out " + Quantity.count(unreadable, "message")
                    + " of the topic that are no events of a collector, or copies from another partition; "
                    + firstUnreadable);
            reportedUnreadable = unreadable;
        }
    }

    @Override
    public void unreadableMetadata(long offset, String reason, boolean isFirst) {
        metrics.unreadable("metadata");
        if (isFirst) {
            log.log("left out the metadata at offset " + offset + ": " + reason + "; further cases are only counted");
        }
    }

    @Override
    public void lostToRetention(int partition, long fromOffset, long toOffset) {
        metrics.lostToRetention(toOffset - fromOffset);
        log.log("MISSING " + Quantity.count(toOffset - fromOffset, "event") + " of partition " + partition
                + ", offsets "
                + fromOffset + ".." + (toOffset - 1)
                + ": retention deleted them before they were read; increase retention.ms of the topic");
    }

    @Override
    public void metadataRemoved(long records) {
        log.log("removed " + Quantity.count(records, "metadata record")
                + " of captures that have no events in the topic any more");
    }

    @Override
    public void metadataNotRemoved(String reason) {
        log.log("the metadata of captures that have no events any more stays in its topic: " + reason
                + "; its deletion needs the permission to Write the topic");
    }

    @Override
    public void progress(SinkProgress progress) {
        metrics.progress(progress.eventsRead(), progress.bytesRead(), progress.openSegments(), progress.lags());
        long lag = progress.lags().values().stream().mapToLong(Long::longValue).sum();
        // Of many, each ten times as many are logged; a sink that ends by itself logs them at its end.
        if (!endsByItself && unreadable >= MORE_UNREADABLE * reportedUnreadable) {
            reportUnreadable();
        }
        terminal.progress("read " + Quantity.count(progress.eventsRead(), "event") + ", "
                + Quantity.count(progress.openSegments(), "open segment") + ", " + Quantity.count(lag)
                + " offsets not in files yet");
    }

    /** Logs the summary. */
    void ended(SinkOutcome outcome) {
        String left = outcome.droppedEvents() == 0
                ? ""
                : "; " + Quantity.count(outcome.droppedEvents(), "event")
                        + " of open segments stay in Kafka for the next run";
        log.log("ended: " + Quantity.count(outcome.eventsFinished(), "event") + " in "
                + Quantity.count(outcome.filesFinished(), "file") + left);
    }

    private static String words(Set<Integer> partitions) {
        return (partitions.size() == 1 ? "partition " : "partitions ")
                + String.join(
                        ", ",
                        new TreeSet<>(partitions).stream().map(String::valueOf).toList());
    }

    private static String word(SinkWait reason) {
        return reason.name().toLowerCase(Locale.ROOT);
    }
}
