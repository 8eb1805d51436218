package dev.probestream.cli.watch;

import dev.probestream.cli.incidents.IncidentFolder;
import dev.probestream.cli.terminal.CommandException;
import dev.probestream.cli.terminal.ExitCode;
import dev.probestream.cli.terminal.ProgressLine;
import dev.probestream.cli.terminal.Quantity;
import dev.probestream.cli.terminal.ServiceLog;
import dev.probestream.cli.terminal.Signals;
import dev.probestream.cli.terminal.Summary;
import dev.probestream.cli.terminal.Terminal;
import dev.probestream.collector.AwaitedProcess;
import dev.probestream.collector.Collector;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.publish.PublishException;
import dev.probestream.collector.publish.RingPublisher;
import dev.probestream.collector.request.CollectionOutcome;
import dev.probestream.collector.request.CollectionRequest;
import dev.probestream.collector.request.StopSignal;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** One run of the collector into a ring of recordings, with its log. */
final class Watch {
    private final CollectionRequest request;
    private final Path folder;
    private final RingPublisher.Bounds bounds;
    private final Terminal terminal;
    private final ServiceLog log;
    private final boolean isVerbose;

    Watch(CollectionRequest request, Path folder, RingPublisher.Bounds bounds, Terminal terminal, boolean isVerbose) {
        this.request = request;
        this.folder = folder;
        this.bounds = bounds;
        this.terminal = terminal;
        this.log = new ServiceLog(terminal, InstantSource.system());
        this.isVerbose = isVerbose;
    }

    /** Records until the request's limit, a signal or the end of the targets. */
    CollectionOutcome run() throws CommandException, IOException, ResolveException {
        StopSignal stop = new StopSignal();
        // Before the processes are awaited: a folder that cannot be used is an error at once.
        try (Signals signals = new Signals();
                RingPublisher ring = open()) {
            signals.onFirst(stop::raise);
            AwaitedProcess.await(request.targets(), request.probes(), request.limit(), stop, log::log);
            try (Collector collector = Collector.open(request, stop)) {
                List<String> warnings = collector.warnings();
                warnings.forEach(log::log);
                CollectionOutcome outcome = collect(collector, ring);
                collector.warnings().stream().skip(warnings.size()).forEach(log::log);
                Summary.of(outcome, folder, ring.publishedBytes(), isVerbose).forEach(log::log);
                return outcome;
            }
        }
    }

    private RingPublisher open() throws CommandException {
        try {
            return RingPublisher.open(IncidentFolder.ring(folder), bounds, log::log);
        } catch (PublishException e) {
            throw new CommandException(ExitCode.FAILED, String.valueOf(e.getMessage()), e);
        }
    }

    private CollectionOutcome collect(Collector collector, RingPublisher ring) {
        ProgressLine line = new ProgressLine(terminal, System::nanoTime);
        AtomicBoolean begun = new AtomicBoolean();
        return collector.run(ring, progress -> {
            // The first progress report: all probes are attached.
            if (!begun.getAndSet(true)) {
                log.log("watching with " + Quantity.count(collector.probeCount(), "probe")
                        + Summary.end(request.limit()) + "; take an incident with 'probestream incidents take " + folder
                        + "'");
            }
            progress.notices().forEach(log::log);
            line.progress(progress);
        });
    }
}
