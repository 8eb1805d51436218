package dev.probestream.cli.demo;

import dev.probestream.sink.FinishedSegment;
import dev.probestream.sink.Sink;
import dev.probestream.sink.SinkException;
import dev.probestream.sink.SinkListener;
import dev.probestream.sink.SinkProgress;
import dev.probestream.sink.SinkRequest;
import dev.probestream.sink.SinkWait;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/** A sink on a thread of its own, until it has written the expected events to finished files. */
final class RunningSink implements AutoCloseable, SinkListener {
    private static final long UNKNOWN = Long.MAX_VALUE;

    private final SinkRequest request;
    private final CompletableFuture<Void> end = new CompletableFuture<>();
    private final List<FinishedSegment> slices = new ArrayList<>();
    private final AtomicLong finishedEvents = new AtomicLong();
    private volatile long expectedEvents = UNKNOWN;
    private volatile boolean stopped;
    private volatile String lastWait = "";
    private volatile long lastProgressNs = System.nanoTime();
    private long eventsRead;

    private RunningSink(SinkRequest request) {
        this.request = request;
    }

    static RunningSink start(SinkRequest request) throws SinkException {
        RunningSink running = new RunningSink(request);
        Sink sink = Sink.open(request, running);
        new Thread(() -> running.run(sink), "demo-sink-" + request.format()).start();
        return running;
    }

    /**
     * Waits until {@code events} events are in finished files, and ends the sink.
     *
     * @param timeout since the sink last read or finished events
     * @return the finished segments
     * @throws IOException if it failed or timed out
     */
    List<FinishedSegment> finish(long events, Duration timeout)
            throws IOException, SinkException, InterruptedException {
        expectedEvents = events;
        lastProgressNs = System.nanoTime();
        try {
            awaitEnd(timeout.toNanos());
        } catch (ExecutionException e) {
            if (e.getCause() instanceof SinkException failed) {
                throw failed;
            }
            throw new IllegalStateException("the sink to " + request.folder() + " failed", e.getCause());
        } catch (TimeoutException e) {
            throw new IOException(
                    "write " + request.folder() + ": only " + finishedEvents.get() + " of " + events
                            + " events are in files, and the sink made no progress for " + timeout.toSeconds() + " s"
                            + (lastWait.isEmpty() ? "" : "; it was waiting: " + lastWait),
                    e);
        }
        if (finishedEvents.get() < events) {
            throw new IOException("write " + request.folder() + ": " + lastWait);
        }
        return slices;
    }

    private void awaitEnd(long timeoutNs) throws ExecutionException, InterruptedException, TimeoutException {
        while (true) {
            long leftNs = lastProgressNs + timeoutNs - System.nanoTime();
            try {
                end.get(Math.max(1, leftNs), TimeUnit.NANOSECONDS);
                return;
            } catch (TimeoutException e) {
                if (System.nanoTime() - lastProgressNs >= timeoutNs) {
                    throw e;
                }
            }
        }
    }

    @Override
    public void progress(SinkProgress progress) {
        if (progress.eventsRead() != eventsRead) {
            eventsRead = progress.eventsRead();
            lastProgressNs = System.nanoTime();
        }
    }

    @Override
    public void finished(FinishedSegment slice) {
        slices.add(slice);
        finishedEvents.addAndGet(slice.events());
        lastProgressNs = System.nanoTime();
    }

    /** A service waits for disk space; the demo fails instead. */
    @Override
    public void waiting(SinkWait reason, String message) {
        lastWait = message;
        if (reason == SinkWait.DISK) {
            stopped = true;
        }
    }

    /** Ends the sink; unfinished files are dropped. */
    @Override
    public void close() {
        stopped = true;
        end.handle((nothing, failure) -> null).join();
    }

    private void run(Sink open) {
        try (Sink sink = open) {
            sink.run(() -> stopped || finishedEvents.get() >= expectedEvents);
        } catch (SinkException | RuntimeException e) {
            end.completeExceptionally(e);
        }
        end.complete(null);
    }
}
