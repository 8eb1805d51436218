package dev.probestream.cli.demo;

import dev.probestream.collector.request.StopSignal;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Runs the demo's load on a thread of its own; the recording ends with it. */
final class BackgroundLoad {
    private final SampleLoad load;
    private final Duration duration;
    private final StopSignal stop;
    private final CompletableFuture<SampleLoad.Outcome> outcome = new CompletableFuture<>();
    private volatile boolean started;

    BackgroundLoad(SampleLoad load, Duration duration, StopSignal stop) {
        this.load = load;
        this.duration = duration;
        this.stop = stop;
    }

    /** Starts the load unless it was started or stopped before; returns whether it was started. */
    boolean startOnce() {
        if (started || stop.isRaised()) {
            return false;
        }
        started = true;
        Thread thread = new Thread(this::run, "demo-load");
        thread.setDaemon(true);
        thread.start();
        return true;
    }

    /** Ends the load early, on a signal; the recording ends after it. */
    void stop() {
        load.stop();
        if (!started) {
            stop.raise();
        }
    }

    /** Waits for the load and returns its outcome; empty if it was never started. */
    SampleLoad.Outcome outcome() {
        return started ? outcome.join() : load.outcome();
    }

    private void run() {
        try {
            outcome.complete(load.run(duration));
        } catch (InterruptedException e) {
            outcome.completeExceptionally(e);
        } finally {
            stop.raise();
        }
    }
}
