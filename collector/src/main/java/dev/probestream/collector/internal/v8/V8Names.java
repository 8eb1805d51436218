package dev.probestream.collector.internal.v8;

import dev.probestream.collector.internal.stack.JavaScriptEntries;
import dev.probestream.collector.internal.stack.JavaScriptNames;
import dev.probestream.collector.internal.stack.LruCache;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * Names JavaScript frames from the memory of the traced processes, while they run. What cannot be verified has no name and
 * is counted by its reason. Not thread-safe: used by the thread that reads the ring.
 */
public final class V8Names implements JavaScriptNames, AutoCloseable {
    private static final int MAX_PROCESSES = 256;

    private final IntFunction<Optional<V8Process>> opener;
    private final UnnamedFrames unnamed;
    private final Map<Integer, Optional<V8Process>> processes;

    /**
     * @param opener opens the memory of a process; empty if it runs no V8 that can be read
     * @param unnamed counts the frames without a name
     */
    public V8Names(IntFunction<Optional<V8Process>> opener, UnnamedFrames unnamed) {
        this.opener = opener;
        this.unnamed = unnamed;
        this.processes = new LruCache<>(MAX_PROCESSES, process -> process.ifPresent(V8Process::close));
    }

    @Override
    public Named named(int pid, long leaf, JavaScriptEntries entries) {
        Optional<V8Process> process = processes.get(pid);
        if (process == null) {
            process = opener.apply(pid);
            processes.put(pid, process);
        }
        if (process.isEmpty()) {
            unnamed.add(UnnamedReason.NO_MEMORY, entries.count());
            return Named.NOTHING;
        }
        return process.get().named(leaf, entries);
    }

    @Override
    public void forget(int pid) {
        Optional<V8Process> process = processes.remove(pid);
        if (process != null) {
            process.ifPresent(V8Process::close);
        }
    }

    @Override
    public void close() {
        processes.values().forEach(process -> process.ifPresent(V8Process::close));
        processes.clear();
    }
}
