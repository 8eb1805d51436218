package dev.probestream.convert.perfetto;

import dev.probestream.convert.timeline.ProcessTrack;
import dev.probestream.convert.timeline.ThreadTrack;
import java.util.HashMap;
import java.util.Map;

/** Which track the first machine's processes and threads have, by pid and tid; of those that share an id, the last. */
final class RecordedTracks {
    private final Map<Integer, Long> processes = new HashMap<>();
    private final Map<Long, Long> threads = new HashMap<>();

    void add(ProcessTrack process, long uuid) {
        if (process.capture().isFirstMachine()) {
            processes.put(process.pid(), uuid);
        }
    }

    void add(ThreadTrack thread, long uuid) {
        if (thread.process().capture().isFirstMachine()) {
            threads.put(key(thread.process().pid(), thread.tid()), uuid);
        }
    }

    long processUuid(int pid) {
        return processes.getOrDefault(pid, 0L);
    }

    long threadUuid(int pid, int tid) {
        return threads.getOrDefault(key(pid, tid), 0L);
    }

    private static long key(int pid, int tid) {
        return (long) pid << Integer.SIZE | tid;
    }
}
