package dev.probestream.cli.collect;

import dev.probestream.broker.EmbeddedBroker;
import dev.probestream.cli.metrics.CollectMetrics;
import dev.probestream.cli.metrics.MetricsServer;
import dev.probestream.cli.options.BrokerOptions;
import dev.probestream.cli.options.KafkaOptions;
import dev.probestream.cli.options.MetricsOption;
import dev.probestream.cli.terminal.ProgressLine;
import dev.probestream.cli.terminal.Quantity;
import dev.probestream.cli.terminal.ServiceLog;
import dev.probestream.cli.terminal.Signals;
import dev.probestream.cli.terminal.Summary;
import dev.probestream.cli.terminal.Terminal;
import dev.probestream.collector.AwaitedProcess;
import dev.probestream.collector.Collector;
import dev.probestream.collector.cost.CostReading;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.publish.KafkaPublisher;
import dev.probestream.collector.publish.KafkaTopics;
import dev.probestream.collector.request.CollectionOutcome;
import dev.probestream.collector.request.CollectionProgress.ProbeLoss;
import dev.probestream.collector.request.CollectionRequest;
import dev.probestream.collector.request.StopSignal;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** One run of the collector into Kafka, with its log and metrics. */
final class Collection {
    private final CollectionRequest request;
    private final CollectDestination destination;
    private final MetricsOption metricsOption;
    private final Terminal terminal;
    private final ServiceLog log;
    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final StopSignal stop = new StopSignal();
    private final AtomicBoolean stopped = new AtomicBoolean();

    Collection(
            CollectionRequest request,
            CollectDestination destination,
            MetricsOption metricsOption,
            Terminal terminal,
            ServiceLog log) {
        this.request = request;
        this.destination = destination;
        this.metricsOption = metricsOption;
        this.terminal = terminal;
        this.log = log;
    }

    /** Collects until the request's limit, a signal or the end of the targets, and until all is acknowledged. */
    CollectSummary run() throws IOException, ResolveException {
        try (Signals signals = new Signals();
                MetricsServer metrics = metricsOption.serve(registry);
                Collector collector = open(signals)) {
            MetricsOption.logAddress(metrics, log);
            List<String> warnings = collector.warnings();
            warnings.forEach(log::log);
            CollectSummary summary = send(collector);
            collector.warnings().stream().skip(warnings.size()).forEach(log::log);
            return summary;
        }
    }

    private void stop() {
        stopped.set(true);
        stop.raise();
    }

    private Collector open(Signals signals) throws IOException, ResolveException {
        signals.onFirst(this::stop);
        AwaitedProcess.await(request.targets(), request.probes(), request.limit(), stop, log::log);
        return Collector.open(request, stop);
    }

    private CollectSummary send(Collector collector) throws IOException {
        KafkaTopics topics = destination.registeredTopics(log);
        try (EmbeddedBroker broker = destination.start()) {
            Map<String, String> properties = destination.propertiesFor(broker, log);
            String servers = Objects.requireNonNull(properties.get(KafkaOptions.BOOTSTRAP_SERVERS));
            if (broker != null) {
                log.log("broker ready at " + servers + ", data in " + broker.dataFolder());
                log.log(BrokerOptions.accessOf(broker));
            }
            try (KafkaPublisher publisher = KafkaPublisher.open(properties, topics, stopped::get)) {
                CollectionOutcome outcome = collect(collector, publisher, servers);
                return new CollectSummary(outcome, servers, publisher.counters().acknowledgedEvents());
            }
        }
    }

    private CollectionOutcome collect(Collector collector, KafkaPublisher publisher, String servers) {
        CollectReport report =
                new CollectReport(log, servers, publisher.counters()::acknowledgedEvents, System::nanoTime);
        CollectMetrics metrics = meter(publisher, report);
        ProgressLine line = new ProgressLine(terminal, System::nanoTime);
        AtomicBoolean begun = new AtomicBoolean();
        try (CollectWatch watch = new CollectWatch()) {
            watch.begin(report::tick);
            return collector.run(publisher, progress -> {
                // The first progress report: all probes are attached.
                if (!begun.getAndSet(true)) {
                    logBegin(collector, servers);
                }
                progress.notices().forEach(log::log);
                report.progress(progress);
                for (ProbeLoss loss : progress.losses()) {
                    metrics.lost(loss.probe(), loss.reason().name(), loss.count());
                }
                CostReading cost = progress.cost();
                Map<String, Long> hits = cost.hitsByCategory();
                cost.nsByCategory().forEach((set, ns) -> metrics.cost(set, hits.getOrDefault(set, 0L), ns));
                line.progress(progress);
            });
        }
    }

    private void logBegin(Collector collector, String servers) {
        log.log("collecting capture " + collector.captureId() + " to " + servers + " with "
                + Quantity.count(collector.probeCount(), "probe") + Summary.end(request.limit()));
    }

    private CollectMetrics meter(KafkaPublisher publisher, CollectReport report) {
        CollectMetrics metrics = new CollectMetrics(registry);
        metrics.delivered(() -> report.latest().deliveredEvents());
        metrics.acknowledged(publisher.counters()::acknowledgedEvents, publisher.counters()::acknowledgedBytes);
        metrics.blocked(publisher.counters()::waitingNs);
        metrics.targetCpu(() -> report.latest().cost().targetCpuNs());
        metrics.ring(() -> report.latest().waitingBytes(), request.ringSizeBytes());
        publisher.counters().setLatencyListener(metrics::latency);
        return metrics;
    }

    /** Calls a task once a second on a daemon thread of its own. */
    private static final class CollectWatch implements AutoCloseable {
        private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread watch = new Thread(task, "collect-watch");
            watch.setDaemon(true);
            return watch;
        });

        /** Calls {@code tick} every second until closed. */
        void begin(Runnable tick) {
            var unused = thread.scheduleWithFixedDelay(tick, 1, 1, TimeUnit.SECONDS);
        }

        @Override
        public void close() {
            thread.shutdownNow();
        }
    }
}
