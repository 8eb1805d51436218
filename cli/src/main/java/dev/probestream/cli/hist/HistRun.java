package dev.probestream.cli.hist;

import dev.probestream.cli.terminal.CommandException;
import dev.probestream.cli.terminal.ExitCode;
import dev.probestream.cli.terminal.Quantity;
import dev.probestream.cli.terminal.Signals;
import dev.probestream.cli.terminal.Summary;
import dev.probestream.cli.terminal.Terminal;
import dev.probestream.collector.AwaitedProcess;
import dev.probestream.collector.Histograms;
import dev.probestream.collector.histogram.HistogramSpec;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.request.HistogramRequest;
import dev.probestream.collector.request.StopSignal;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** One run of {@code hist}: attaches the probes, prints an output every interval, and the last one after detaching. */
final class HistRun {
    /** Hits in a library that was mapped since the last look are not counted. */
    private static final long LOOK_EVERY_NS = TimeUnit.MILLISECONDS.toNanos(5);

    private final HistogramRequest request;
    private final HistOutput output;
    /** Takes the totals instead of {@link #output}. */
    private final Optional<FlameOutput> flames;

    private final Terminal terminal;
    private final Times times;

    /**
     * When a run prints, and when it ends.
     *
     * @param outputs the number of outputs after which the run ends; 0 = no limit
     * @param limit the time after which the run ends; empty = no limit
     */
    record Times(Duration interval, int outputs, Optional<Duration> limit) {}

    HistRun(HistogramRequest request, HistOutput output, Optional<FlameOutput> flames, Terminal terminal, Times times) {
        this.request = request;
        this.output = output;
        this.flames = flames;
        this.terminal = terminal;
        this.times = times;
    }

    ExitCode run() throws CommandException, IOException, ResolveException {
        StopSignal stop = new StopSignal();
        try (Signals signals = new Signals();
                Histograms histograms = open(signals, stop)) {
            histograms.attach();
            List<String> warnings = histograms.warnings();
            warnings.forEach(terminal::print);
            terminal.print(
                    "counting at " + Quantity.count(histograms.probeCount(), "probe") + Summary.end(times.limit()));
            boolean isWhole = show(histograms, stop);
            histograms.detach();
            if (flames.isPresent()) {
                flames.get().write(histograms.snapshot());
            } else if (isWhole) {
                output.total(histograms.snapshot());
            } else {
                output.interval(histograms.snapshot());
            }
            histograms.warnings().stream()
                    .filter(warning -> !warnings.contains(warning))
                    .forEach(terminal::print);
            Summary.requireFound(histograms.misspelled());
        }
        return ExitCode.DONE;
    }

    private Histograms open(Signals signals, StopSignal stop) throws IOException, ResolveException {
        signals.onFirst(stop::raise);
        AwaitedProcess.await(
                request.targets(),
                request.histograms().stream().map(HistogramSpec::probe).toList(),
                times.limit(),
                stop,
                terminal::print);
        return Histograms.open(request);
    }

    /** Prints all outputs except the last; true if the last one covers everything, false if it is one more interval. */
    private boolean show(Histograms histograms, StopSignal stop) {
        long intervalNs = times.interval().toNanos();
        long startNs = System.nanoTime();
        long limitNs = times.limit().map(Duration::toNanos).orElse(Long.MAX_VALUE);
        long nextNs = startNs + intervalNs;
        int shown = 0;
        while (true) {
            long dueNs = Math.min(nextNs - System.nanoTime(), limitNs - (System.nanoTime() - startNs));
            LockSupport.parkNanos(Math.min(LOOK_EVERY_NS, Math.max(dueNs, 1)));
            histograms.look();
            Optional<String> ended =
                    System.nanoTime() - startNs >= limitNs ? Optional.of("the time was up") : histograms.ended();
            ended.ifPresent(reason -> terminal.print("ended: " + reason));
            if (ended.isPresent() || stop.isRaised() || output.isGone()) {
                return true;
            }
            if (System.nanoTime() - nextNs >= 0) {
                if (++shown == times.outputs()) {
                    return false;
                }
                if (flames.isEmpty()) {
                    output.interval(histograms.snapshot());
                }
                nextNs += intervalNs;
            }
        }
    }
}
