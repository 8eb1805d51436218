package dev.probestream.collector.internal.stack;

import dev.probestream.bpf.proc.MappedRange;
import dev.probestream.bpf.proc.ProcessMaps;
import dev.probestream.bpf.sys.SyscallException;
import dev.probestream.bpf.watch.MappingLog;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Keeps what code processes have mapped according to the kernel's {@link MappingLog}, up to the moment that the reader of
 * the ring has come to. So the files of a stack are known if the process has ended, or has executed another program, by the
 * time its stack is read.
 *
 * <p>Of a process that ran before the log began, only what it has mapped since is here. Memory is bounded: the least
 * recently queried or recorded processes are removed.
 */
final class LoggedCode implements AutoCloseable {
    private static final int MAX_PROCESSES = 1024;
    private static final int MAX_RANGES = 2048;
    private static final int MAX_PATHS = 4096;

    private @Nullable MappingLog log;
    private final Map<Integer, Code> processes = new LruCache<>(MAX_PROCESSES, code -> {});
    /** Processes share the texts of their paths. */
    private final Map<String, String> paths = new LruCache<>(MAX_PATHS, path -> {});

    /** Takes over what the log holds. */
    final MappingLog.Listener listener = new Listener();

    /** Begins to record; until then, and if the kernel refuses, nothing is known of any process. */
    void begin() {
        try {
            log = MappingLog.open();
        } catch (SyscallException e) {
            log = null;
        }
    }

    @Override
    public void close() {
        if (log != null) {
            log.close();
            log = null;
        }
    }

    /** Takes over what was mapped and executed up to a moment (CLOCK_MONOTONIC). */
    void readUntil(long timestampNs) {
        if (log != null) {
            log.read(timestampNs, listener);
        }
    }

    /** What a process had mapped at that moment; files and the vDSO only. */
    ProcessMaps of(int pid) {
        Code code = processes.get(pid);
        return code == null ? ProcessMaps.empty() : code.snapshot();
    }

    /** Records a process from here on, even if it executes nothing. */
    void add(int pid) {
        if (log != null) {
            processes.computeIfAbsent(pid, added -> new Code());
        }
    }

    /** The child has what its parent has. */
    void forked(int parentPid, int pid) {
        if (log != null) {
            Code child = new Code();
            of(parentPid).ranges().forEach(child::put);
            processes.put(pid, child);
        }
    }

    void forget(int pid) {
        processes.remove(pid);
    }

    private final class Listener implements MappingLog.Listener {
        @Override
        public void executed(int pid) {
            processes.put(pid, new Code());
        }

        @Override
        public void mapped(int pid, MappedRange range) {
            Code code = processes.get(pid);
            if (code != null) {
                code.map(shared(range));
            }
        }

        /** Another program may have been executed: what is known may be of the one before. */
        @Override
        public void lost() {
            processes.clear();
        }

        private MappedRange shared(MappedRange range) {
            String path = paths.computeIfAbsent(range.path(), text -> text);
            return new MappedRange(
                    range.start(),
                    range.end(),
                    range.isExecutable(),
                    range.fileOffset(),
                    range.inode(),
                    path,
                    range.isDeleted());
        }
    }

    /** The code of one process, without overlaps. */
    private static final class Code {
        private final TreeMap<Long, MappedRange> byStart = new TreeMap<>();
        private @Nullable ProcessMaps snapshot;

        ProcessMaps snapshot() {
            ProcessMaps current = snapshot;
            if (current == null) {
                current = ProcessMaps.of(List.copyOf(byStart.values()));
                snapshot = current;
            }
            return current;
        }

        /** A later mapping replaces the parts of earlier ones that it covers. */
        void map(MappedRange range) {
            Map.Entry<Long, MappedRange> earlier = byStart.lowerEntry(range.end());
            while (earlier != null && earlier.getValue().end() > range.start()) {
                cut(earlier.getValue(), range);
                earlier = byStart.lowerEntry(range.end());
            }
            if (range.isFile() || range.path().equals(Symbolizer.VDSO)) {
                put(range);
            }
        }

        void put(MappedRange range) {
            if (byStart.size() >= MAX_RANGES) {
                byStart.clear(); // much of it is unmapped again, which is not recorded
            }
            byStart.put(range.start(), range);
            snapshot = null;
        }

        private void cut(MappedRange earlier, MappedRange by) {
            byStart.remove(earlier.start());
            snapshot = null;
            if (earlier.end() > by.end()) {
                put(part(earlier, by.end(), earlier.end()));
            }
            if (earlier.start() < by.start()) {
                put(part(earlier, earlier.start(), by.start()));
            }
        }

        private static MappedRange part(MappedRange whole, long start, long end) {
            return new MappedRange(
                    start,
                    end,
                    whole.isExecutable(),
                    whole.isFile() ? whole.fileOffsetOf(start) : 0,
                    whole.inode(),
                    whole.path(),
                    whole.isDeleted());
        }
    }
}
