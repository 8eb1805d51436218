package dev.probestream.cli.loop;

import java.util.List;

/**
 * The numbers of all loops in a time range.
 *
 * @param fromNs CLOCK_MONOTONIC
 * @param toNs CLOCK_MONOTONIC
 * @param loops the loops
 * @param lost lost hits, which are missing in the numbers
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
     * @param numbers the counts
     */
    record Loop(int pid, int tid, String comm, LoopNumbers numbers) {}
}
