package dev.probestream.bpf.kernel;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Owns several links and closes them together. Each detaching waits for a grace period of the kernel, some 50 ms, but
 * the waits of several threads overlap: 24 uprobe_multi links close in 60 ms instead of 1.3 s. For perf events this is
 * no faster, because the kernel destroys them under one lock.
 *
 * <p>Each link has a thread of its own, however many there are: a function that has not returned holds the grace period
 * until its thread has entered no other function whose return is probed for 100 ms ({@code prepare_uretprobe} and
 * {@code ri_timer} in kernel/events/uprobes.c, v6.13 and later). For a busy thread that never happens while such a
 * probe is attached, so no link may wait for another one.
 *
 * <p>Not for use by several threads, except for {@link #isClosed}.
 */
public final class Links implements Link {
    private final List<Link> links = new ArrayList<>();
    private final List<Thread> closers = new CopyOnWriteArrayList<>();
    private final Queue<RuntimeException> failures = new ConcurrentLinkedQueue<>();

    /**
     * Takes ownership of the link.
     *
     * @param link an attached program; owned from here on
     */
    public void add(Link link) {
        links.add(link);
    }

    /**
     * Begins to close every link and waits at most this long; {@link #close} waits for the rest.
     *
     * @param patience how long to wait
     */
    public void beginToClose(Duration patience) {
        for (Link link : links) {
            Thread closer = new Thread(() -> close(link), "link-closer-" + closers.size());
            closers.add(closer);
            closer.start();
        }
        links.clear();
        if (patience.isZero()) {
            return;
        }
        long deadlineNs = System.nanoTime() + patience.toNanos();
        for (Thread closer : closers) {
            join(closer, Math.max(1, (deadlineNs - System.nanoTime()) / 1_000_000));
        }
    }

    /**
     * {@return whether every link is closed, of those that were ever added; for any thread}
     */
    public boolean isClosed() {
        return links.isEmpty() && closers.stream().noneMatch(Thread::isAlive);
    }

    /** Closes every link, also when one of them fails; then throws the first failure. */
    @Override
    public void close() {
        beginToClose(Duration.ZERO);
        closers.forEach(closer -> join(closer, 0));
        closers.clear();
        RuntimeException first = failures.poll();
        if (first != null) {
            failures.forEach(first::addSuppressed);
            failures.clear();
            throw first;
        }
    }

    private void close(Link link) {
        try {
            link.close();
        } catch (RuntimeException e) {
            failures.add(e);
        }
    }

    /** Waits also when interrupted, 0 = without limit: a probe must not outlive the close of its owner. */
    private static void join(Thread thread, long patienceMs) {
        boolean wasInterrupted = false;
        while (true) {
            try {
                thread.join(patienceMs);
                break;
            } catch (InterruptedException e) {
                wasInterrupted = true;
            }
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
