package dev.probestream.cli.metrics;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.Map;

/** The metrics of a sink, updated by its thread. */
public final class SinkMetrics {
    private final Counter events;
    private final Counter bytes;
    private final Counter eventsFinished;
    private final Counter files;
    private final Counter fileBytes;
    private final Counter slices;
    private final Counter finishing;
    private final Counter duplicates;
    private final Counter missing;
    private final Counter unreadable;
    private final Counter retention;
    private final Gauge lag;
    private final Gauge openSlices;
    private final Gauge waiting;

    /** Registers all metrics, so that the first scrape has each of them. */
    public SinkMetrics(PrometheusRegistry registry) {
        Metrics metrics = new Metrics(registry);
        events = metrics.counter("probestream_sink_events_total", "Events read from the topic.");
        bytes = metrics.counter("probestream_sink_bytes_total", "Encoded bytes of the events read.");
        eventsFinished = metrics.counter("probestream_sink_finished_events_total", "Events in finished files.");
        files = metrics.counter("probestream_sink_finished_files_total", "Files finished.");
        fileBytes = metrics.counter("probestream_sink_finished_bytes_total", "Bytes of the files finished.");
        slices = metrics.counter("probestream_sink_finished_slices_total", "Segments of captures finished.");
        finishing = metrics.counter(
                "probestream_sink_finishing_seconds_total", "Time spent writing the files of segments.");
        duplicates = metrics.counter(
                "probestream_sink_duplicate_events_total", "Duplicate events in the topic that were left out.");
        missing = metrics.counter("probestream_sink_missing_events_total", "Events missing in the topic.");
        unreadable = metrics.counter(
                "probestream_sink_unreadable_messages_total", "Messages that could not be read.", "topic");
        retention = metrics.counter(
                "probestream_sink_retention_lost_offsets_total",
                "Offsets that retention deleted before they were read.");
        lag = metrics.gauge(
                "probestream_sink_lag_offsets",
                "Offsets of a partition that are not in finished files yet.",
                "partition");
        openSlices = metrics.gauge("probestream_sink_open_slices", "Segments that are open or wait for metadata.");
        waiting = metrics.gauge("probestream_sink_waiting", "1 while the sink waits for this.", "for");
        unreadable.labelValues("events");
        unreadable.labelValues("metadata");
    }

    /** The read position: {@code eventsRead} and {@code bytesRead} since the start, lags by partition. */
    public void progress(long eventsRead, long bytesRead, int open, Map<Integer, Long> lags) {
        events.inc(eventsRead - events.getLongValue());
        bytes.inc(bytesRead - bytes.getLongValue());
        openSlices.set(open);
        lag.clear(); // other instances report the partitions that moved to them
        lags.forEach((partition, offsets) ->
                lag.labelValues(String.valueOf(partition)).set(offsets));
    }

    public void finished(long eventCount, int fileCount, long sizeBytes, long tookNs) {
        eventsFinished.inc(eventCount);
        files.inc(fileCount);
        fileBytes.inc(sizeBytes);
        slices.inc();
        finishing.inc(tookNs / 1e9);
    }

    public void duplicates(long count) {
        duplicates.inc(count);
    }

    public void missing(long count) {
        missing.inc(count);
    }

    /** One message of {@code topic}: events or metadata. */
    public void unreadable(String topic) {
        unreadable.labelValues(topic).inc();
    }

    public void lostToRetention(long offsets) {
        retention.inc(offsets);
    }

    /** Whether it is waiting for {@code what} now. */
    public void waiting(String what, boolean isWaiting) {
        waiting.labelValues(what).set(isWaiting ? 1 : 0);
    }
}
