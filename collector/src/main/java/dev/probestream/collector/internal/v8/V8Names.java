package dev.probestream.collector.internal.v8;

import dev.probestream.collector.internal.event.Warnings;
import dev.probestream.collector.internal.sourcemap.SourceMaps;
import dev.probestream.collector.internal.stack.JavaScriptEntries;
import dev.probestream.collector.internal.stack.JavaScriptNames;
import dev.probestream.collector.internal.stack.LruCache;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Names JavaScript frames from the memory of the traced processes, while they run. What cannot be verified has no name and
 * is counted by its reason. Not thread-safe: used by the thread that reads the ring.
 */
public final class V8Names implements JavaScriptNames, AutoCloseable {
    private static final int MAX_PROCESSES = 256;

    private final UnnamedFrames unnamed = new UnnamedFrames();
    private final Warnings takeWarnings = new Warnings();
    private final V8ProcessOpener opener;
    private final Map<Integer, Optional<V8Process>> processes =
            new LruCache<>(MAX_PROCESSES, process -> process.ifPresent(V8Process::close));

    /** @param targets the processes that run V8; stays the caller's */
    public V8Names(V8Processes targets) {
        this.opener = new V8ProcessOpener(targets, unnamed, new SourceMaps(takeWarnings));
    }

    /** Warnings for the user about frames without names and about source maps; call it once, at the end. */
    public List<String> takeWarnings() {
        List<String> warnings = new ArrayList<>(takeWarnings.take());
        warnings.addAll(unnamed.warnings());
        return warnings;
    }

    @Override
    public Named named(int pid, long leaf, JavaScriptEntries entries) {
        Optional<V8Process> process = processes.get(pid);
        if (process == null) {
            process = opener.open(pid);
            processes.put(pid, process);
        }
        if (process.isEmpty()) {
            unnamed.add(UnnamedReason.NO_MEMORY, entries.count());
            return Named.NOTHING;
        }
        unnamed.addStack(entries.flags());
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
