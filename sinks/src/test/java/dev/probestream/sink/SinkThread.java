package dev.probestream.sink;

import static org.assertj.core.api.Assertions.fail;

import dev.probestream.sink.finish.FaultPoints;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;

/** A sink on a thread of its own, until it is closed. */
final class SinkThread implements AutoCloseable {
    final SinkLog log = new SinkLog();

    private final FutureTask<SinkOutcome> task;

    /** Taken by the sink between its steps, when it asks whether to stop. */
    private final ReentrantLock turns = new ReentrantLock(true);

    private volatile boolean isStopped;

    private SinkThread(SinkRequest request, FaultPoints faultPoints) {
        task = new FutureTask<>(() -> {
            try (Sink sink = Sink.open(request, log, faultPoints)) {
                return sink.run(this::hasToStop);
            }
        });
    }

    static SinkThread start(SinkRequest request) {
        return start(request, FaultPoints.NONE);
    }

    static SinkThread start(SinkRequest request, FaultPoints faultPoints) {
        SinkThread sink = new SinkThread(request, faultPoints);
        Thread thread = new Thread(sink.task, "sink");
        thread.setDaemon(true);
        thread.start();
        return sink;
    }

    /** Runs one to its end on this thread. */
    static SinkOutcome toItsEnd(SinkRequest request, SinkLog log) throws Exception {
        try (Sink sink = Sink.open(request, log)) {
            return sink.run(() -> false);
        }
    }

    private boolean hasToStop() {
        turns.lock();
        try {
            return isStopped;
        } finally {
            turns.unlock();
        }
    }

    /** Runs an action between two steps of the sink, which sees nothing of its course. */
    void between(Callable<?> action) throws Exception {
        turns.lock();
        try {
            while (!turns.hasQueuedThreads() && !task.isDone()) {
                Thread.onSpinWait();
            }
            action.call();
        } finally {
            turns.unlock();
        }
    }

    void await(String what, Duration limit, Callable<Boolean> condition) throws Exception {
        awaitAny(what, limit, () -> {
            if (condition.call()) {
                return true;
            }
            if (task.isDone()) {
                task.get();
            }
            return false;
        });
    }

    /** As above, but the sink may have ended. */
    void awaitAny(String what, Duration limit, Callable<Boolean> condition) throws Exception {
        long endNanos = System.nanoTime() + limit.toNanos();
        while (!condition.call()) {
            if (System.nanoTime() > endNanos) {
                fail("not within " + limit + ": " + what + "; the sink reported " + log.lines);
            }
            TimeUnit.MILLISECONDS.sleep(100);
        }
    }

    SinkOutcome stop() throws Exception {
        isStopped = true;
        return task.get(120, TimeUnit.SECONDS);
    }

    /** Its end, if that comes by itself. */
    SinkOutcome awaitEnd() throws Exception {
        return task.get(120, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        isStopped = true;
        try {
            task.get(120, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            // The test has looked at it, or wanted it.
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError("a sink that was stopped has not ended", e);
        }
    }
}
