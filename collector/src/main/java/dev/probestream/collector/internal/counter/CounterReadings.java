package dev.probestream.collector.internal.counter;

import dev.probestream.bpf.machine.ClockReading;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Reads the counters of processes on a thread of its own, about once a second. There is room for one reading: the next one is
 * taken only when the thread that reads the ring has published it, so that memory does not grow when publishing blocks.
 */
public final class CounterReadings implements AutoCloseable {
    /** How long the end of a capture waits for the last reading. */
    private static final long LAST_READING_NS = 250_000_000L;

    private static final long LOOK_EVERY_NS = 20_000_000L;

    private final Thread thread = new Thread(this::readings, "process counters");
    private final Object lock = new Object();
    // Guarded by lock:
    private List<Integer> pids = List.of();
    private @Nullable List<CounterValues> ready;
    private List<String> warnings = List.of();
    private long firstNs;
    private boolean isEnding;
    private boolean isLastReady;

    private volatile boolean isClosed;

    /**
     * Begins with these processes.
     *
     * @param atNs when to read first, CLOCK_MONOTONIC
     */
    public void begin(List<Integer> living, long atNs) {
        pids = living;
        firstNs = atNs;
        thread.setDaemon(true);
        thread.start();
    }

    /**
     * What was read since the last call; empty if nothing was. Takes next to no time.
     *
     * @param living the processes to read next
     */
    public List<CounterValues> take(List<Integer> living) {
        synchronized (lock) {
            List<CounterValues> taken = ready;
            ready = null;
            pids = living;
            return taken == null ? List.of() : taken;
        }
    }

    /** Whether a reading waits. */
    public boolean isReady() {
        synchronized (lock) {
            return ready != null;
        }
    }

    /** Reads all a last time; waits for it a while. The thread ends. */
    public List<CounterValues> last(List<Integer> living) {
        long untilNs = System.nanoTime() + LAST_READING_NS;
        synchronized (lock) {
            pids = living;
            isEnding = true;
        }
        LockSupport.unpark(thread);
        synchronized (lock) {
            try {
                while (!isLastReady && System.nanoTime() < untilNs) {
                    lock.wait(Math.max(1, (untilNs - System.nanoTime()) / 1_000_000));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            List<CounterValues> taken = ready;
            ready = null;
            return taken == null ? List.of() : taken;
        }
    }

    /** What could not be read, and what was read rarely; a line each. Complete after {@link #last}. */
    public List<String> warnings() {
        synchronized (lock) {
            return warnings;
        }
    }

    private void readings() {
        try (ProcessReader reader = new ProcessReader()) {
            long dueNs = firstNs;
            while (!isClosed) {
                List<Integer> living;
                boolean isLast;
                boolean isTaken;
                synchronized (lock) {
                    living = pids;
                    isLast = isEnding;
                    isTaken = ready == null;
                }
                long nowNs = ClockReading.monotonicNowNs();
                if (isLast || (isTaken && nowNs >= dueNs)) {
                    dueNs = nowNs + ReadingPace.EVERY_NS;
                    publish(reader.read(living, isLast), reader.warnings(), isLast);
                    if (isLast) {
                        return;
                    }
                    List<CounterValues> programs = reader.readPrograms(living);
                    if (!programs.isEmpty()) {
                        publish(programs, reader.warnings(), false);
                    }
                } else {
                    LockSupport.parkNanos(isTaken ? dueNs - nowNs : LOOK_EVERY_NS);
                }
            }
        } catch (RuntimeException e) {
            publish(new ArrayList<>(), List.of("process: the counters were read no further: " + e), true);
        }
    }

    private void publish(List<CounterValues> values, List<String> newWarnings, boolean isLast) {
        synchronized (lock) {
            List<CounterValues> before = ready;
            if (before != null) {
                before.addAll(values);
            } else {
                ready = values;
            }
            warnings = newWarnings;
            isLastReady = isLast;
            lock.notifyAll();
        }
    }

    @Override
    public void close() {
        isClosed = true;
        LockSupport.unpark(thread);
    }
}
