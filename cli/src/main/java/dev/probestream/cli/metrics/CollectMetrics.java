package dev.probestream.cli.metrics;

import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.function.LongSupplier;

/** The metrics of a collector. Counters kept elsewhere are read at each scrape; the others are updated as events happen. */
public final class CollectMetrics {
    /** From half a millisecond (a local broker) to half a minute (a broker that was unreachable). */
    private static final double[] LATENCY_BOUNDS_SECONDS = {
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30
    };

    private static final double NS_PER_SECOND = 1e9;

    private final Metrics metrics;
    private final Counter losses;
    private final Counter hits;
    private final Counter costs;
    private final Histogram latency;

    /** Registers the metrics that are updated. */
    public CollectMetrics(PrometheusRegistry registry) {
        metrics = new Metrics(registry);
        losses = metrics.counter(
                "probestream_collect_lost_events_total", "Hits that had to be dropped.", "probe", "reason");
        hits = metrics.counter(
                "probestream_collect_hits_total",
                "Hits of probes in the traced processes, filtered and lost hits among them.",
                "set");
        costs = metrics.counter(
                "probestream_collect_target_cost_seconds_total",
                "CPU time that the probes cost the traced processes, by measured prices of counted hits.",
                "set");
        latency = Histogram.builder()
                .name("probestream_collect_publish_latency_seconds")
                .help("From publishing an event to its acknowledgement; one event in 1024 is measured.")
                .classicOnly()
                .classicUpperBounds(LATENCY_BOUNDS_SECONDS)
                .register(registry);
    }

    /** Events handed to the Kafka client so far, by {@code count}. */
    public void delivered(LongSupplier count) {
        metrics.counter(
                "probestream_collect_delivered_events_total",
                "Events read from the kernel and handed to the" + " Kafka client.",
                count::getAsLong);
    }

    /** Events and bytes that the brokers have acknowledged so far. */
    public void acknowledged(LongSupplier events, LongSupplier bytes) {
        metrics.counter(
                "probestream_collect_acknowledged_events_total",
                "Events that the brokers have acknowledged.",
                events::getAsLong);
        metrics.counter(
                "probestream_collect_acknowledged_bytes_total",
                "Bytes of acknowledged records of all kinds, before compression.",
                bytes::getAsLong);
    }

    /** The time so far, in nanoseconds, for which the brokers accepted less than there was to send. */
    public void blocked(LongSupplier waitingNs) {
        metrics.counter(
                "probestream_collect_blocked_seconds_total",
                "Time for which publishing was held up by the brokers.",
                () -> waitingNs.getAsLong() / NS_PER_SECOND);
    }

    /** The fill level of the ring buffer between kernel and collector; at {@code sizeBytes} it overflows. */
    public void ring(LongSupplier waitingBytes, long sizeBytes) {
        metrics.gauge(
                "probestream_collect_ring_waiting_bytes",
                "Bytes in the ring buffer that wait to be read.",
                waitingBytes::getAsLong);
        metrics.gauge("probestream_collect_ring_size_bytes", "Size of the ring buffer.", () -> sizeBytes);
    }

    /** Hits of a probe that were lost so far for one reason. */
    public void lost(String probe, String reason, long countSoFar) {
        CounterDataPoint counter = losses.labelValues(probe, reason);
        counter.inc(countSoFar - counter.getLongValue());
    }

    /** The CPU time of the traced processes so far, in nanoseconds, with what the probes cost them. */
    public void targetCpu(LongSupplier ns) {
        metrics.counter(
                "probestream_collect_target_cpu_seconds_total",
                "CPU time of the traced processes, with what the probes cost them.",
                () -> ns.getAsLong() / NS_PER_SECOND);
    }

    /** What the probes of a set were hit and cost so far. A price can fall when it is measured again; the sum stays then. */
    public void cost(String set, long hitsSoFar, long nsSoFar) {
        CounterDataPoint counted = hits.labelValues(set);
        counted.inc(Math.max(0, hitsSoFar - counted.getLongValue()));
        CounterDataPoint cost = costs.labelValues(set);
        cost.inc(Math.max(0, nsSoFar / NS_PER_SECOND - cost.get()));
    }

    /** One event took so long to be acknowledged. Called on the thread of Kafka's client. */
    public void latency(long ns) {
        latency.observe(ns / NS_PER_SECOND);
    }
}
