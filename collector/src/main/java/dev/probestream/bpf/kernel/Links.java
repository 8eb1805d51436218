package dev.probestream.bpf.kernel;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Owns several links and closes them together. Each detaching waits for a grace period of the kernel, some 50 ms, but
 * the waits of several threads overlap: 24 uprobe_multi links close in 60 ms instead of 1.3 s. Perf events gain
 * nothing, because the kernel takes them apart under one lock.
 *
 * <p>Not for use by several threads.
 */
public final class Links implements Link {
    /** Threads that mostly wait; enough to have all grace periods of a capture at once. */
    private static final int MOST_CLOSERS = 64;

    private final List<Link> links = new ArrayList<>();

    /** Takes the link over. */
    public void add(Link link) {
        links.add(link);
    }

    /** Closes every link, also when one of them fails; then throws the first failure. */
    @Override
    public void close() {
        Queue<Link> open = new ConcurrentLinkedQueue<>(links);
        links.clear();
        Queue<RuntimeException> failures = new ConcurrentLinkedQueue<>();
        List<Thread> closers = new ArrayList<>();
        for (int i = 1; i < Math.min(open.size(), MOST_CLOSERS); i++) {
            Thread closer = new Thread(() -> closeAll(open, failures), "link-closer-" + i);
            closers.add(closer);
        }
        closers.forEach(Thread::start);
        closeAll(open, failures);
        closers.forEach(Links::join);
        RuntimeException first = failures.poll();
        if (first != null) {
            failures.forEach(first::addSuppressed);
            throw first;
        }
    }

    private static void closeAll(Queue<Link> open, Queue<RuntimeException> failures) {
        for (Link link = open.poll(); link != null; link = open.poll()) {
            try {
                link.close();
            } catch (RuntimeException e) {
                failures.add(e);
            }
        }
    }

    /** Waits whatever happens: a probe must not outlive its owner's close. */
    private static void join(Thread thread) {
        boolean wasInterrupted = false;
        while (true) {
            try {
                thread.join();
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
