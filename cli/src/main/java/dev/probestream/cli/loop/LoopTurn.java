package dev.probestream.cli.loop;

import java.util.List;

/**
 * A turn of a loop that is over: from the end of one wait to the beginning of the next. As long as it takes, whatever
 * becomes ready has to wait: its length is the lag of the loop.
 *
 * @param pid of the process
 * @param tid of the loop's thread
 * @param startNs CLOCK_MONOTONIC
 * @param busyNs its length
 * @param ran what ran in it, in the order of time; without what was too short to be kept
 */
record LoopTurn(int pid, int tid, long startNs, long busyNs, List<Activity> ran) {
    long endNs() {
        return startNs + busyNs;
    }

    /**
     * Something that ran on the thread of a loop.
     *
     * @param name of the probe
     * @param detail what it worked at, such as a path; may be ""
     * @param startNs CLOCK_MONOTONIC
     * @param durationNs from its begin to its end
     * @param inside what ran inside of it, in the order of time; unmodifiable by others
     */
    record Activity(String name, String detail, long startNs, long durationNs, List<Activity> inside) {}
}
