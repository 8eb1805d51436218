package dev.probestream.cli.demo;

import dev.probestream.collector.StopSignal;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** The demo's load on a thread of its own; when it ends, the recording does. */
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

    /** Starts the load, if it was neither started nor stopped before; says whether it did. */
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

    /** Ends the load before its time, when the user does not want to wait for it; the recording ends after it. */
    void stop() {
        load.stop();
        if (!started) {
            stop.raise();
        }
    }

    /** Waits for the load and gives what it saw: nothing, when it was never started. */
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
