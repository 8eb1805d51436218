package dev.probestream.cli.demo;

import dev.probestream.broker.EmbeddedBroker;
import dev.probestream.cli.node.NodeBinary;
import dev.probestream.cli.options.KafkaOptions;
import dev.probestream.cli.terminal.CommandException;
import dev.probestream.cli.terminal.ExitCode;
import dev.probestream.cli.terminal.ProgressLine;
import dev.probestream.cli.terminal.Quantity;
import dev.probestream.cli.terminal.Signals;
import dev.probestream.cli.terminal.Summary;
import dev.probestream.cli.terminal.Terminal;
import dev.probestream.cli.terminal.Version;
import dev.probestream.collector.Collector;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.probe.preset.ProbeSet;
import dev.probestream.collector.publish.KafkaPublisher;
import dev.probestream.collector.publish.KafkaTopics;
import dev.probestream.collector.request.CollectionOutcome;
import dev.probestream.collector.request.CollectionRequest;
import dev.probestream.collector.request.StopSignal;
import dev.probestream.collector.request.TargetSelection;
import dev.probestream.sink.SinkException;
import dev.probestream.sink.finish.SinkFormat;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * One run of the demo, from a server under load to finished files, in this process. The broker, its topics and unfinished
 * files of the sinks are removed at the end in every case.
 */
final class DemoRun {
    static final Duration LOAD = Duration.ofSeconds(5);

    /**
     * The result of the demo.
     *
     * @param recorded the events read back from Kafka
     * @param counts the number of events at each stage
     */
    record Outcome(SampleLoad.Outcome load, SampleServer.Counts server, RecordedDemo recorded, PipelineCounts counts) {}

    private final NodeBinary node;
    private final DemoFolder folder;
    private final Terminal terminal;
    private final StopSignal stop = new StopSignal();

    DemoRun(NodeBinary node, DemoFolder folder, Terminal terminal) {
        this.node = node;
        this.folder = folder;
        this.terminal = terminal;
    }

    /** A signal ends the load early; the events recorded until then are written to files. */
    Outcome run() throws CommandException, IOException, ResolveException, SinkException, InterruptedException {
        terminal.progress("starting a sample server and a Kafka broker ...");
        try (Signals signals = new Signals()) {
            signals.onFirst(stop::raise);
            try (SampleServer server = SampleServer.start(node);
                    EmbeddedBroker broker = EmbeddedBroker.start(folder.brokerData(), 0)) {
                BackgroundLoad load = new BackgroundLoad(new SampleLoad(server.address()), LOAD, stop);
                signals.onFirst(load::stop);
                return run(server, load, broker.clientProperties());
            }
        }
    }

    private Outcome run(SampleServer server, BackgroundLoad load, Map<String, String> clients)
            throws CommandException, IOException, ResolveException, SinkException, InterruptedException {
        String kafka = Objects.requireNonNull(clients.get(KafkaOptions.BOOTSTRAP_SERVERS));
        // One partition, because there is one capture.
        try (KafkaPublisher publisher = KafkaPublisher.open(clients, new KafkaTopics(1, (short) 1), stop::isRaised);
                DemoSinks sinks = DemoSinks.start(clients, folder)) {
            CollectionOutcome collected = collect(server, load, publisher, kafka);
            requireEvents(collected);
            SampleLoad.Outcome seen = load.outcome();
            SampleServer.Counts counts = server.counts();
            terminal.print(Summary.recorded(collected, kafka, publisher.publishedBytes()));
            terminal.progress("finishing the traces and tables ...");
            RecordedDemo recorded = new RecordedDemo();
            TopicReading.read(clients, recorded);
            sinks.finish(collected.deliveredEvents());
            sinks.remarks().forEach(terminal::print);
            for (SinkFormat format : SinkFormat.values()) {
                folder.place(format, sinks.files(format));
            }
            return new Outcome(seen, counts, recorded, count(collected, publisher, recorded, sinks));
        }
    }

    /** The load starts after the last probe is attached and ends before the first is detached. */
    private CollectionOutcome collect(SampleServer server, BackgroundLoad load, KafkaPublisher publisher, String kafka)
            throws IOException, ResolveException {
        CollectionRequest request = CollectionRequest.of(TargetSelection.ofPids(List.of(server.pid())))
                .probes(ProbeSet.select(List.of("all")))
                .commandLine(List.of("probestream", "demo"))
                .toolVersion(Version.current())
                .build();
        String version = node.version().orElse("(unknown version)");
        ProgressLine line = new ProgressLine(terminal, System::nanoTime);
        try (Collector collector = Collector.open(request, stop)) {
            collector.warnings().forEach(terminal::print);
            return collector.run(publisher, progress -> {
                progress.notices().forEach(terminal::print);
                // The first progress report: all probes are attached.
                if (load.startOnce()) {
                    terminal.print("recording node " + version + " (" + node.path() + ", pid " + server.pid()
                            + ") with "
                            + Quantity.count(collector.probeCount(), "probe") + " under load for " + LOAD.toSeconds()
                            + " s, through a Kafka broker at " + kafka);
                }
                line.progress(progress);
            });
        }
    }

    private static void requireEvents(CollectionOutcome collected) throws CommandException {
        if (collected.deliveredEvents() == 0) {
            throw new CommandException(
                    ExitCode.FAILED,
                    "the demo ended before any event was recorded (" + collected.reason() + "); no files were written");
        }
    }

    private PipelineCounts count(
            CollectionOutcome collected, KafkaPublisher publisher, RecordedDemo recorded, DemoSinks sinks)
            throws IOException {
        return new PipelineCounts(
                collected.deliveredEvents(),
                publisher.counters().acknowledgedEvents(),
                recorded.events(),
                recorded.isContiguous(),
                sinks.events(SinkFormat.PERFETTO),
                sinks.events(SinkFormat.CHROME),
                folder.rows("events"),
                folder.rows("spans"));
    }
}
