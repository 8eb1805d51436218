package dev.probestream.cli.live;

import dev.probestream.cli.terminal.ExitCode;
import dev.probestream.cli.terminal.LossText;
import dev.probestream.cli.terminal.Quantity;
import dev.probestream.cli.terminal.Signals;
import dev.probestream.cli.terminal.Terminal;
import dev.probestream.cli.terminal.Version;
import dev.probestream.collector.CollectionOutcome;
import dev.probestream.collector.CollectionRequest;
import dev.probestream.collector.Collector;
import dev.probestream.collector.StopSignal;
import dev.probestream.collector.process.ResolveException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** One live run of the collector: what it shows on standard output, everything else on the error stream. */
public final class LiveRun {
    private static final long SAYING_MS = 1000;

    private final CollectionRequest request;
    private final String doing;
    private final Terminal terminal;
    private final PublisherMaker maker;

    /** Makes what shows the hits. */
    @FunctionalInterface
    public interface PublisherMaker {
        /**
         * Makes it, for one run.
         *
         * @param notices takes what is to be said beside the lines
         * @param stop asks the collection to end
         */
        LivePublisher make(LineOutput output, Consumer<String> notices, Runnable stop);
    }

    /** @param doing what is said when it begins, before "with 3 probes" */
    public LiveRun(CollectionRequest request, String doing, Terminal terminal, PublisherMaker maker) {
        this.request = request;
        this.doing = doing;
        this.terminal = terminal;
        this.maker = maker;
    }

    /** Shows until a signal, the end of the targets, of the reader, or enough of it. */
    public ExitCode run() throws IOException, ResolveException {
        StopSignal stop = new StopSignal();
        try (Signals signals = new Signals();
                LineOutput output = new LineOutput(new FileOutputStream(FileDescriptor.out), isPipe(), stop);
                Collector collector = Collector.open(request);
                LivePublisher publisher = maker.make(output, terminal::say, stop::raise)) {
            signals.onFirst(stop::raise);
            List<String> notices = collector.warnings();
            notices.forEach(terminal::say);
            CollectionOutcome outcome = collect(collector, publisher, stop);
            if (output.isStalled()) {
                sayInTime(() -> sayEnd(outcome, publisher));
            } else if (!output.isClosed()) {
                collector.warnings().stream().skip(notices.size()).forEach(terminal::say);
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

    private CollectionOutcome collect(Collector collector, LivePublisher publisher, StopSignal stop) {
        AtomicBoolean begun = new AtomicBoolean();
        return collector.run(publisher, Version.current(), stop, progress -> {
            // The first word of progress: every probe is in place.
            if (!begun.getAndSet(true)) {
                terminal.say(doing + " with " + Quantity.count(collector.probeCount(), "probe") + "; Ctrl-C ends it");
            }
            publisher.look();
        });
    }

    private void sayEnd(CollectionOutcome outcome, LivePublisher publisher) {
        terminal.say("ended: " + publisher.enough().orElse(outcome.reason()));
        publisher.summary(outcome).forEach(terminal::say);
        outcome.losses().stream().map(LossText::ofLines).distinct().forEach(terminal::say);
    }

    private static boolean isPipe() throws IOException {
        String target = Files.readSymbolicLink(Path.of("/proc/self/fd/1")).toString();
        return target.startsWith("pipe:") || target.startsWith("socket:");
    }
}
