package dev.probestream.bpf.kernel;

import java.util.ArrayDeque;
import java.util.Deque;

/** Owns several links and closes them all, the last one first. */
final class Links implements Link {
    private final Deque<Link> links = new ArrayDeque<>();

    void add(Link link) {
        links.push(link);
    }

    @Override
    public void close() {
        RuntimeException first = null;
        while (!links.isEmpty()) {
            try {
                links.pop().close();
            } catch (RuntimeException e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
