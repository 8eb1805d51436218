package dev.probestream.collector;

import dev.probestream.bpf.kernel.BpfMap;
import dev.probestream.bpf.ring.RingWakeups;
import java.util.concurrent.locks.LockSupport;

/**
 * Ends the rest of the reading thread ({@link ReadingRest}) when a hit came after which the process may end: its memory, which has the
 * names of JavaScript functions, is gone some milliseconds later.
 */
final class ReaderWakeups implements AutoCloseable {
    private final RingWakeups wakeups;
    private final Thread waiter;

    private ReaderWakeups(RingWakeups wakeups, Thread reader) {
        this.wakeups = wakeups;
        this.waiter = new Thread(
                () -> {
                    while (wakeups.await()) {
                        LockSupport.unpark(reader);
                    }
                },
                "ring-wakeups");
        waiter.setDaemon(true);
    }

    /**
     * Begins.
     *
     * @param ring stays the caller's
     * @param reader the thread that rests
     */
    static ReaderWakeups start(BpfMap ring, Thread reader) {
        ReaderWakeups started = new ReaderWakeups(RingWakeups.of(ring), reader);
        started.waiter.start();
        return started;
    }

    @Override
    public void close() {
        wakeups.stop();
        boolean isInterrupted = false;
        while (waiter.isAlive()) {
            try {
                waiter.join();
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        wakeups.close();
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
