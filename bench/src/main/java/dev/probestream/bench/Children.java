package dev.probestream.bench;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;

/** The JVMs of a contest, which end with it. */
final class Children implements AutoCloseable {
    private final Deque<ChildJvm> opened = new ArrayDeque<>();

    ChildJvm keep(ChildJvm child) {
        opened.push(child);
        return child;
    }

    @Override
    public void close() throws IOException {
        while (!opened.isEmpty()) {
            opened.pop().close();
        }
    }
}
