package dev.probestream.bpf.ring;

import dev.probestream.bpf.map.BpfMap;

/** A thread that does something whenever a program wakes the reader of a ring. */
public final class RingListener implements AutoCloseable {
    private final RingWakeups wakeups;
    private final Thread thread;
    private boolean isClosed;

    private RingListener(RingWakeups wakeups, String name, Runnable action) {
        this.wakeups = wakeups;
        this.thread = new Thread(
                () -> {
                    while (wakeups.await()) {
                        action.run();
                    }
                },
                name);
        thread.setDaemon(true);
    }

    /**
     * Begins.
     *
     * @param ring of type RINGBUF; it stays the caller's
     * @param name of the thread
     * @param action called by the thread; once for samples that come meanwhile
     * @return what listens; the caller closes it
     * @throws dev.probestream.bpf.sys.SyscallException when the kernel refuses
     */
    public static RingListener start(BpfMap ring, String name, Runnable action) {
        RingListener started = new RingListener(RingWakeups.of(ring), name, action);
        started.thread.start();
        return started;
    }

    /** Ends the thread, after what it does now. A second time does nothing. */
    @Override
    public synchronized void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        wakeups.stop();
        boolean isInterrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
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
