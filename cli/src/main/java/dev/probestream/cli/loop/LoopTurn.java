package dev.probestream.cli.loop;

import java.util.List;

/**
 * A completed turn of a loop: from the end of one wait to the start of the next. Events that become ready during the turn
 * have to wait, so its length is the lag of the loop.
 *
 * @param pid of the process
 * @param tid of the loop's thread
 * @param startNs CLOCK_MONOTONIC
 * @param busyNs its length
 * @param ran the activities in it, in the order of time, without those that were too short
 */
record LoopTurn(int pid, int tid, long startNs, long busyNs, List<Activity> ran) {
    long endNs() {
        return startNs + busyNs;
    }

    /**
     * An activity on the thread of a loop.
     *
     * @param name of the probe
     * @param detail a detail such as a path; may be ""
     * @param startNs CLOCK_MONOTONIC
     * @param durationNs from its start to its end
     * @param inside the activities inside it, in the order of time; callers must not modify it
     */
    record Activity(String name, String detail, long startNs, long durationNs, List<Activity> inside) {}
}
