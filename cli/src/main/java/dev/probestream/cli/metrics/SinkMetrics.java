package dev.probestream.cli.metrics;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.Map;

/** What a sink tells. Fed by its one thread. */
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

    /** Registers all of them, so that each is there from the first scrape on. */
    public SinkMetrics(PrometheusRegistry registry) {
        Metrics metrics = new Metrics(registry);
        events = metrics.counter("probestream_sink_events_total", "Events read from the topic.");
        bytes = metrics.counter("probestream_sink_bytes_total", "Encoded bytes of the events read.");
        eventsFinished = metrics.counter("probestream_sink_finished_events_total", "Events in finished files.");
        files = metrics.counter("probestream_sink_finished_files_total", "Files finished.");
        fileBytes = metrics.counter("probestream_sink_finished_bytes_total", "Bytes of the files finished.");
        slices = metrics.counter("probestream_sink_finished_slices_total", "Slices of captures finished.");
        finishing = metrics.counter("probestream_sink_finishing_seconds_total", "Time spent making files of slices.");
        duplicates = metrics.counter(
                "probestream_sink_duplicate_events_total", "Events that were in the topic again and were left out.");
        missing = metrics.counter("probestream_sink_missing_events_total", "Events that the topic does not have.");
        unreadable = metrics.counter(
                "probestream_sink_unreadable_messages_total", "Messages that could not be read.", "topic");
        retention = metrics.counter(
                "probestream_sink_retention_lost_offsets_total",
                "Offsets that retention deleted before they were read.");
        lag = metrics.gauge(
                "probestream_sink_lag_offsets",
                "Offsets of a partition that are not in finished files yet.",
                "partition");
        openSlices = metrics.gauge("probestream_sink_open_slices", "Slices being gathered or waiting for metadata.");
        waiting = metrics.gauge("probestream_sink_waiting", "1 while the sink waits for this.", "for");
        unreadable.labelValues("events");
        unreadable.labelValues("metadata");
    }

    /** How far it has read; {@code eventsRead} and {@code bytesRead} since it started, lags by partition. */
    public void progress(long eventsRead, long bytesRead, int open, Map<Integer, Long> lags) {
        events.inc(eventsRead - events.getLongValue());
        bytes.inc(bytesRead - bytes.getLongValue());
        openSlices.set(open);
        lag.clear(); // partitions that went to others are theirs to tell
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
