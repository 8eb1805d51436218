package dev.probestream.convert.merge.track;

import java.util.HashMap;
import java.util.Map;

/** What the files call their processes and threads; for those that no recording names. */
public final class MergedTaskNames {
    private final Map<Integer, String> processes = new HashMap<>();
    private final Map<Long, String> threads = new HashMap<>();

    public void process(int pid, String name) {
        processes.put(pid, name);
    }

    public void thread(int pid, int tid, String name) {
        threads.put(key(pid, tid), name);
    }

    String process(int pid) {
        return processes.getOrDefault(pid, "process");
    }

    String thread(int pid, int tid) {
        return threads.getOrDefault(key(pid, tid), pid == tid ? process(pid) : "thread");
    }

    private static long key(int pid, int tid) {
        return (long) pid << Integer.SIZE | tid;
    }
}
