package dev.probestream.cli;

import dev.probestream.cli.trace.LineOutput;
import dev.probestream.cli.trace.TraceOptions;
import dev.probestream.cli.trace.TracePublisher;
import dev.probestream.collector.CollectionOutcome;
import dev.probestream.collector.CollectionRequest;
import dev.probestream.collector.Collector;
import dev.probestream.collector.StopSignal;
import dev.probestream.collector.resolve.ResolveException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** One run of the collector onto the terminal: lines on standard output, everything else on the error stream. */
final class Tracing {
    private static final long SAYING_MS = 1000;

    private final CollectionRequest request;
    private final TraceOptions options;
    private final Terminal terminal;

    Tracing(CollectionRequest request, TraceOptions options, Terminal terminal) {
        this.request = request;
        this.options = options;
        this.terminal = terminal;
    }

    /** Prints until a signal, the end of the targets, of the reader, or enough lines. */
    ExitCode run() throws IOException, ResolveException {
        StopSignal stop = new StopSignal();
        try (Signals signals = new Signals();
                LineOutput output = new LineOutput(new FileOutputStream(FileDescriptor.out), isPipe(), stop);
                Collector collector = Collector.open(request);
                TracePublisher publisher =
                        new TracePublisher(options, ZoneId.systemDefault(), output, terminal::say, stop::raise)) {
            signals.onFirst(stop::raise);
            List<String> notices = collector.notices();
            notices.forEach(terminal::say);
            CollectionOutcome outcome = collect(collector, publisher, stop);
            if (output.isStalled()) {
                sayInTime(() -> sayEnd(outcome, publisher));
            } else if (!output.isClosed()) {
                collector.notices().stream().skip(notices.size()).forEach(terminal::say);
                sayEnd(outcome, publisher);
            }
            return ExitCode.DONE;
        }
    }

    /** Where lines are not read, what is said may not be read either (2>&1): that must not hold up the end. */
    private static void sayInTime(Runnable words) {
        Thread saying = new Thread(words, "say the end");
        saying.setDaemon(true);
        saying.start();
        try {
            saying.join(SAYING_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private CollectionOutcome collect(Collector collector, TracePublisher publisher, StopSignal stop) {
        AtomicBoolean begun = new AtomicBoolean();
        return collector.run(publisher, Version.current(), stop, progress -> {
            // The first word of progress: every probe is in place.
            if (!begun.getAndSet(true)) {
                terminal.say("tracing with " + Quantity.count(collector.probeCount(), "probe") + "; Ctrl-C ends it");
            }
        });
    }

    private void sayEnd(CollectionOutcome outcome, TracePublisher publisher) {
        terminal.say("ended: "
                + (publisher.hasEnough()
                        ? Quantity.count(publisher.lineCount(), "line") + " as asked for"
                        : outcome.reason()));
        terminal.say("printed " + Quantity.count(publisher.lineCount(), "line") + " of "
                + Quantity.count(outcome.deliveredEvents(), "event") + " in " + Quantity.seconds(outcome.duration())
                + ", " + (outcome.lostEvents() == 0 ? "none lost" : Quantity.count(outcome.lostEvents()) + " LOST"));
        if (publisher.refusedHits() > 0) {
            terminal.say("nobody read the output at the end: the last "
                    + Quantity.count(publisher.refusedHits(), "event") + " could not be printed, or not wholly");
        }
        outcome.losses().stream().map(LossText::ofLines).distinct().forEach(terminal::say);
    }

    private static boolean isPipe() throws IOException {
        String target = Files.readSymbolicLink(Path.of("/proc/self/fd/1")).toString();
        return target.startsWith("pipe:") || target.startsWith("socket:");
    }
}
