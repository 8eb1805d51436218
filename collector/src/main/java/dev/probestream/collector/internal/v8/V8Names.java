package dev.probestream.collector.internal.v8;

import dev.probestream.collector.internal.stack.JavaScriptEntries;
import dev.probestream.collector.internal.stack.JavaScriptNames;
import dev.probestream.collector.internal.stack.LruCache;
import dev.probestream.collector.internal.v8.heap.ProcessMemory;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Names JavaScript frames from the memory of the traced processes, while they run. What cannot be verified has no name and
 * is counted by its reason. Not thread-safe: used by the thread that reads the ring.
 */
public final class V8Names implements JavaScriptNames, AutoCloseable {
    private static final int MAX_PROCESSES = 256;

    private final V8Processes targets;
    private final UnnamedFrames unnamed = new UnnamedFrames();
    private final Map<Integer, Optional<V8Process>> processes =
            new LruCache<>(MAX_PROCESSES, process -> process.ifPresent(V8Process::close));

    /** @param targets the processes that run V8; stays the caller's */
    public V8Names(V8Processes targets) {
        this.targets = targets;
    }

    /** What to tell the user about frames without names. */
    public List<String> warnings() {
        return unnamed.warnings();
    }

    @Override
    public Named named(int pid, long leaf, JavaScriptEntries entries) {
        Optional<V8Process> process = processes.get(pid);
        if (process == null) {
            process = open(pid);
            processes.put(pid, process);
        }
        if (process.isEmpty()) {
            unnamed.add(UnnamedReason.NO_MEMORY, entries.count());
            return Named.NOTHING;
        }
        return process.get().named(leaf, entries);
    }

    private Optional<V8Process> open(int pid) {
        Optional<V8Executable> executable = targets.executable(pid);
        if (executable.isEmpty()) {
            return Optional.empty();
        }
        try {
            FrameReader reader =
                    new FrameReader(ProcessMemory.open(pid), executable.get().layout());
            return Optional.of(new V8Process(reader, () -> targets.relocations(pid), unnamed));
        } catch (IOException e) {
            return Optional.empty(); // it has ended, or its memory may not be read
        }
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
