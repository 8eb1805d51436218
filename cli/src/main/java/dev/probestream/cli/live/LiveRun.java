package dev.probestream.cli.live;

import dev.probestream.cli.terminal.CommandException;
import dev.probestream.cli.terminal.CostText;
import dev.probestream.cli.terminal.ExitCode;
import dev.probestream.cli.terminal.LossText;
import dev.probestream.cli.terminal.Quantity;
import dev.probestream.cli.terminal.Signals;
import dev.probestream.cli.terminal.Summary;
import dev.probestream.cli.terminal.Terminal;
import dev.probestream.collector.AwaitedProcess;
import dev.probestream.collector.Collector;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.request.CollectionOutcome;
import dev.probestream.collector.request.CollectionRequest;
import dev.probestream.collector.request.StopSignal;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** One live run of the collector: lines go to standard output, messages to the error stream. */
public final class LiveRun {
    private static final long PRINTING_MS = 1000;

    private final CollectionRequest request;
    private final String doing;
    private final Terminal terminal;
    private final PublisherMaker maker;
    private boolean isVerbose;

    /** Creates the publisher that prints the hits. */
    @FunctionalInterface
    public interface PublisherMaker {
        /**
         * Creates the publisher for one run.
         *
         * @param warnings receives the warnings
         * @param stop asks the collection to end
         */
        LivePublisher make(LineOutput output, Consumer<String> warnings, Runnable stop);
    }

    /** @param doing the first word of the message at the start, before "with 3 probes" */
    public LiveRun(CollectionRequest request, String doing, Terminal terminal, PublisherMaker maker) {
        this.request = request;
        this.doing = doing;
        this.terminal = terminal;
        this.maker = maker;
    }

    /** Lists at the end what each probe cost, too. */
    public LiveRun verbose(boolean isAsked) {
        isVerbose = isAsked;
        return this;
    }

    /** Runs until a signal, the end of the targets, a closed output, or the end of the output that was asked for. */
    public ExitCode run() throws CommandException, IOException, ResolveException {
        StopSignal stop = new StopSignal();
        try (Signals signals = new Signals();
                LineOutput output = new LineOutput(new FileOutputStream(FileDescriptor.out), isPipe(), stop);
                Collector collector = open(signals, stop);
                LivePublisher publisher = maker.make(output, terminal::print, stop::raise)) {
            List<String> warnings = collector.warnings();
            warnings.forEach(terminal::print);
            CollectionOutcome outcome = collect(collector, publisher);
            if (output.isStalled()) {
                sayInTime(() -> sayEnd(outcome, publisher));
            } else if (!output.isClosed()) {
                collector.warnings().stream().skip(warnings.size()).forEach(terminal::print);
                sayEnd(outcome, publisher);
            }
            Summary.requireFound(outcome.misspelled());
            return ExitCode.DONE;
        }
    }

    private Collector open(Signals signals, StopSignal stop) throws IOException, ResolveException {
        signals.onFirst(stop::raise);
        AwaitedProcess.await(request.targets(), request.probes(), request.limit(), stop, terminal::print);
        return Collector.open(request, stop);
    }

    /** If the lines are not read, the summary may not be read either (2>&1); this must not block the end. */
    private static void sayInTime(Runnable words) {
        Thread printing = new Thread(words, "print summary");
        printing.setDaemon(true);
        printing.start();
        try {
            printing.join(PRINTING_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private CollectionOutcome collect(Collector collector, LivePublisher publisher) {
        AtomicBoolean begun = new AtomicBoolean();
        return collector.run(publisher, progress -> {
            // The first progress report: all probes are attached.
            if (!begun.getAndSet(true)) {
                terminal.print(doing + " with " + Quantity.count(collector.probeCount(), "probe")
                        + Summary.end(request.limit()));
            }
            progress.notices().forEach(terminal::print);
            publisher.tick();
        });
    }

    private void sayEnd(CollectionOutcome outcome, LivePublisher publisher) {
        terminal.print("ended: " + publisher.completionReason().orElse(outcome.reason()));
        if (isVerbose) {
            outcome.partlyHit().forEach(terminal::print);
        }
        CostText.lines(outcome.cost(), isVerbose).forEach(terminal::print);
        publisher.summary(outcome).forEach(terminal::print);
        outcome.losses().stream().map(LossText::ofLines).distinct().forEach(terminal::print);
    }

    private static boolean isPipe() throws IOException {
        String target = Files.readSymbolicLink(Path.of("/proc/self/fd/1")).toString();
        return target.startsWith("pipe:") || target.startsWith("socket:");
    }
}
