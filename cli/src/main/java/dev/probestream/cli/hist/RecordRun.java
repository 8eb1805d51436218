package dev.probestream.cli.hist;

import dev.probestream.bpf.machine.ClockReading;
import dev.probestream.cli.hist.records.RecordCounts;
import dev.probestream.cli.terminal.CommandException;
import dev.probestream.cli.terminal.ExitCode;
import dev.probestream.cli.terminal.Quantity;
import dev.probestream.cli.terminal.Signals;
import dev.probestream.cli.terminal.Summary;
import dev.probestream.cli.terminal.Terminal;
import dev.probestream.cli.terminal.Version;
import dev.probestream.collector.AwaitedProcess;
import dev.probestream.collector.CollectionOutcome;
import dev.probestream.collector.CollectionRequest;
import dev.probestream.collector.Collector;
import dev.probestream.collector.HistogramRequest;
import dev.probestream.collector.StopSignal;
import dev.probestream.collector.histogram.HistogramSnapshot;
import dev.probestream.collector.probe.ResolveException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One run of {@code hist} that counts from records. Outputs come once a second at most, when the stacks of the hits so far
 * have names; the last one when the collection has ended.
 */
final class RecordRun {
    /** An output may be so much early, so that the rhythm of the names does not delay it by a second. */
    private static final long EARLY_NS = TimeUnit.MILLISECONDS.toNanos(200);

    private final HistogramRequest request;
    private final HistOutput output;
    /** Takes the totals instead of {@link #output}. */
    private final Optional<FlameOutput> flames;

    private final Terminal terminal;
    private final HistRun.Times times;
    private final StopSignal stop = new StopSignal();
    private final RecordCounts counts;
    private long nextNs;
    private int shown;
    private boolean isWhole = true;

    RecordRun(
            HistogramRequest request,
            HistOutput output,
            Optional<FlameOutput> flames,
            Terminal terminal,
            HistRun.Times times) {
        this.request = request;
        this.output = output;
        this.flames = flames;
        this.terminal = terminal;
        this.times = times;
        this.counts = new RecordCounts(request.histograms(), request.maxKeys(), this::flushed);
    }

    ExitCode run() throws CommandException, IOException, ResolveException {
        CollectionRequest collection = CollectionRequest.of(request.targets())
                .probes(RecordCounts.probes(request.histograms()))
                .limit(times.limit())
                .followChildren(request.followChildren())
                .toolVersion(Version.current())
                .build();
        try (Signals signals = new Signals();
                Collector collector = open(collection, signals)) {
            List<String> warnings = collector.warnings();
            warnings.forEach(terminal::print);
            CollectionOutcome outcome = collect(collector);
            terminal.print(
                    "ended: " + (isWhole ? outcome.reason() : Quantity.count(shown, "output") + " as asked for"));
            HistogramSnapshot last = counts.snapshot(0);
            if (flames.isPresent()) {
                flames.get().write(last);
            } else if (isWhole) {
                output.total(last);
            } else {
                output.interval(last);
            }
            collector.warnings().stream().skip(warnings.size()).forEach(terminal::print);
            Summary.requireFound(outcome.misspelled());
        }
        return ExitCode.DONE;
    }

    private Collector open(CollectionRequest collection, Signals signals) throws IOException, ResolveException {
        signals.onFirst(stop::raise);
        AwaitedProcess.await(request.targets(), collection.probes(), times.limit(), stop, terminal::print);
        return Collector.open(collection, stop);
    }

    private CollectionOutcome collect(Collector collector) {
        AtomicBoolean begun = new AtomicBoolean();
        return collector.run(counts, progress -> {
            // The first progress report: all probes are attached.
            if (!begun.getAndSet(true)) {
                nextNs = System.nanoTime() + times.interval().toNanos();
                terminal.print("counting records of " + Quantity.count(collector.probeCount(), "probe")
                        + Summary.end(times.limit()));
            }
            if (output.isGone()) {
                stop.raise();
            }
        });
    }

    private void flushed() {
        if (nextNs == 0 || stop.isRaised() || System.nanoTime() + EARLY_NS - nextNs < 0) {
            return;
        }
        nextNs += times.interval().toNanos();
        if (++shown == times.outputs()) {
            isWhole = false;
            stop.raise();
        } else if (flames.isEmpty()) {
            output.interval(counts.snapshot(ClockReading.monotonicNowNs()));
        }
    }
}
