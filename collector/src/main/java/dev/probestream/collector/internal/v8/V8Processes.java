package dev.probestream.collector.internal.v8;

import dev.probestream.bpf.map.BpfMap;
import dev.probestream.bpf.proc.ProcFile;
import dev.probestream.bpf.sys.Errno;
import dev.probestream.bpf.sys.SyscallException;
import dev.probestream.collector.internal.program.layout.v8.AsyncCallerLayout;
import dev.probestream.collector.internal.program.layout.v8.V8ProcessLayout;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The traced processes that run V8: what the programs need of each is in their map, and what user space needs to name
 * functions is here. A process whose moving objects cannot be watched is not among them: its names could be wrong. Used
 * by the thread that reads the ring.
 */
public final class V8Processes {
    private final BpfMap map;
    private final V8Executables executables;
    private final Watch watch;
    private final Map<Integer, V8Executable> processes = new HashMap<>();
    private final int threadPointer;
    private int generation;

    /** Begins to count when V8 moves objects. */
    @FunctionalInterface
    public interface Watch {
        /**
         * Watches an executable, if that has not begun yet.
         *
         * @return why it cannot be watched; empty = it is
         */
        Optional<String> begin(V8Executable executable);
    }

    /**
     * @param map of {@link V8ProcessLayout}; it stays the caller's
     * @param executables may be shared
     * @param threadPointer where task_struct has the thread pointer of user mode, in bytes; 0 = async callers are not read
     */
    public V8Processes(BpfMap map, V8Executables executables, Watch watch, int threadPointer) {
        this.map = map;
        this.executables = executables;
        this.watch = watch;
        this.threadPointer = threadPointer;
    }

    /** A process is traced from now on, or executes another program; nothing happens if it does not run V8. */
    public void add(int pid) {
        remove(pid);
        Path file = ProcFile.of(pid, "exe");
        String shownPath;
        try {
            shownPath = Files.readSymbolicLink(file).toString();
        } catch (IOException e) {
            return; // it has ended, or is not ours to look at
        }
        executables.of(shownPath, file).ifPresent(executable -> add(pid, shownPath, executable));
    }

    private void add(int pid, String shownPath, V8Executable executable) {
        Optional<String> obstacle = watch.begin(executable);
        if (obstacle.isEmpty()) {
            put(pid, shownPath, executable);
        } else if (Files.exists(executable.file())) {
            executables.refuse(shownPath, obstacle.get());
        }
    }

    /** A traced process forked one that is traced, too. */
    public void forked(int parentPid, int pid) {
        V8Executable executable = processes.get(parentPid);
        if (executable != null) {
            put(pid, executable.file().toString(), executable);
        }
    }

    /** The process has ended, or is not traced any more. */
    public void remove(int pid) {
        if (processes.remove(pid) != null) {
            map.delete(BpfMap.key(pid));
        }
    }

    /** What the process runs; empty if it is not among those that run V8. */
    public Optional<V8Executable> executable(int pid) {
        return Optional.ofNullable(processes.get(pid));
    }

    /**
     * The counter of {@link V8ProcessLayout} now.
     *
     * @return -1 for a process that has ended, or is not among those that run V8
     */
    public long relocations(int pid) {
        return processes.containsKey(pid)
                ? map.lookup(BpfMap.key(pid))
                        .map(value -> value.getLong(V8ProcessLayout.RELOCATIONS_OFFSET))
                        .orElse(-1L)
                : -1;
    }

    private V8ProcessLayout layout(V8Executable executable) {
        return executable.processLayout(executable
                .async()
                .filter(async -> threadPointer != 0)
                .map(async -> async.withThreadPointer(threadPointer))
                .orElse(AsyncCallerLayout.NONE));
    }

    private void put(int pid, String shownPath, V8Executable executable) {
        ByteBuffer value = layout(executable).encode(++generation);
        try {
            map.update(BpfMap.key(pid), value);
            processes.put(pid, executable);
        } catch (SyscallException e) {
            if (e.errno() != Errno.E2BIG) {
                throw e;
            }
            executables.refuse(shownPath, "more than " + V8ProcessLayout.MAX_PROCESSES + " processes run V8");
        }
    }
}
