package dev.probestream.convert.chrome;

import dev.probestream.convert.assemble.CaptureTracks;
import dev.probestream.convert.assemble.ProcessTrack;
import dev.probestream.convert.assemble.ThreadTrack;
import dev.probestream.convert.assemble.Timeline;
import java.util.HashSet;
import java.util.Set;

/**
 * The pids and tids of a trace. Real ones are kept; where the format needs one that no process has, it lies above what
 * Linux gives out (PID_MAX_LIMIT, include/linux/threads.h: 4,194,304).
 */
final class ChromeIds {
    private static final int PID_MAX_LIMIT = 4 << 20;

    /** The process that tells of the captures. */
    static final int CAPTURE_PID = PID_MAX_LIMIT + 1;

    /** The process whose threads are the machine's cpus. */
    static final int CPUS_PID = PID_MAX_LIMIT + 2;

    private static final int FIRST_FREE_PID = PID_MAX_LIMIT + 3;
    private static final int FIRST_CPU_TID = 2 * PID_MAX_LIMIT;
    private static final int FIRST_STATE_TID = 3 * PID_MAX_LIMIT;

    /** By process: its pid, or another one if an earlier process has the same. */
    private final int[] pids;

    ChromeIds(Timeline timeline) {
        pids = new int[timeline.processCount()];
        Set<Integer> taken = new HashSet<>();
        int free = FIRST_FREE_PID;
        for (CaptureTracks capture : timeline.captures()) {
            for (ProcessTrack process : capture.processes()) {
                pids[process.index()] = taken.add(process.pid()) ? process.pid() : free++;
            }
        }
    }

    int pid(ProcessTrack process) {
        return pids[process.index()];
    }

    static int cpuTid(int cpu) {
        return FIRST_CPU_TID + cpu;
    }

    /** Of the track that shows a thread's states. */
    static int stateTid(ThreadTrack thread) {
        return FIRST_STATE_TID + thread.index();
    }
}
