package dev.probestream.cli.loop;

import java.util.List;

/**
 * What the loops did between two moments.
 *
 * @param fromNs CLOCK_MONOTONIC
 * @param toNs CLOCK_MONOTONIC
 * @param loops those that there are
 * @param lost hits that were lost: what is counted is too little
 */
record LoopTable(long fromNs, long toNs, List<Loop> loops, long lost) {
    LoopTable {
        loops = List.copyOf(loops);
    }

    /**
     * One loop.
     *
     * @param pid of its process
     * @param tid of its thread
     * @param comm its thread's name
     * @param numbers what was counted
     */
    record Loop(int pid, int tid, String comm, LoopNumbers numbers) {}
}
