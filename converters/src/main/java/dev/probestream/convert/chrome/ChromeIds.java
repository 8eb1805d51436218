package dev.probestream.convert.chrome;

import dev.probestream.convert.timeline.CaptureTracks;
import dev.probestream.convert.timeline.ProcessTrack;
import dev.probestream.convert.timeline.ThreadTrack;
import dev.probestream.convert.timeline.Timeline;
import java.util.HashSet;
import java.util.Set;

/**
 * The pids and tids of a trace. Real ones are kept; where the format needs one that no process has, it lies above what
 * Linux gives out (PID_MAX_LIMIT, include/linux/threads.h: 4,194,304).
 */
final class ChromeIds {
    private static final int PID_MAX_LIMIT = 4 << 20;

    /** The process that shows the captures. */
    static final int CAPTURE_PID = PID_MAX_LIMIT + 1;

    /** The process whose threads are the machine's cpus. */
    static final int CPUS_PID = PID_MAX_LIMIT + 2;

    private static final int FIRST_FREE_PID = PID_MAX_LIMIT + 3;
    private static final int FIRST_CPU_TID = 2 * PID_MAX_LIMIT;
    private static final int FIRST_STATE_TID = 3 * PID_MAX_LIMIT;

    /** Of threads that also have events of another trace. */
    private static final int FIRST_PROBED_TID = 4 * PID_MAX_LIMIT;

    private final boolean isMerged;

    /** By process: its pid, or another one if an earlier process has the same. */
    private final int[] pids;

    /** @param isMerged whether events of other traces are added, see {@link #tid} */
    ChromeIds(Timeline timeline, boolean isMerged) {
        this.isMerged = isMerged;
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

    /**
     * Where a thread's spans stand. Those of a merged trace, measured in whole microseconds, hardly ever nest with ours, and
     * a viewer drops what does not nest: then they keep the thread, and ours get a track beside it.
     */
    int tid(ThreadTrack thread) {
        return isMerged ? FIRST_PROBED_TID + thread.index() : thread.tid();
    }

    /** What that track is called. */
    String name(ThreadTrack thread) {
        return isMerged ? thread.name() + " " + thread.tid() + " probes" : thread.name();
    }

    static int cpuTid(int cpu) {
        return FIRST_CPU_TID + cpu;
    }

    /** Of the track that shows a thread's states. */
    static int stateTid(ThreadTrack thread) {
        return FIRST_STATE_TID + thread.index();
    }
}
