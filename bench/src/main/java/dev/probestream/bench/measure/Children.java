package dev.probestream.bench.measure;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;

/** The JVMs of a contest, which end with it. */
public final class Children implements AutoCloseable {
    private final Deque<ChildJvm> opened = new ArrayDeque<>();

    public ChildJvm keep(ChildJvm child) {
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
