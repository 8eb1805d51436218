package dev.probestream.collector.internal.counter;

/**
 * How often a part of the readings is taken: once a second, or so rarely that it takes a fiftieth of one CPU. Not
 * thread-safe.
 */
final class ReadingPace {
    static final long EVERY_NS = 1_000_000_000L;
    private static final int REST_PER_WORK = 50;
    /** A reading may begin a little early: both parts are due at the same moments. */
    private static final long EARLY_NS = 50_000_000L;

    private long dueNs;
    private boolean isWarm;
    private long longestPauseNs;
    private long longestReadingNs;

    boolean isDue(long nowNs) {
        return nowNs >= dueNs - EARLY_NS;
    }

    /**
     * A reading was taken. The cost of the first one does not predict the next: it loads classes, which takes most of a
     * second on a slow machine.
     *
     * @param cpuNs the CPU time that it took: on a busy machine it can last much longer
     */
    void taken(long beginNs, long cpuNs) {
        long pauseNs = isWarm ? Math.max(EVERY_NS, cpuNs * REST_PER_WORK) : EVERY_NS;
        isWarm = true;
        if (pauseNs > longestPauseNs) {
            longestPauseNs = pauseNs;
            longestReadingNs = cpuNs;
        }
        dueNs = beginNs + pauseNs;
    }

    /** At least one pause was noticeably longer than a second: those of a busy moment are not reported. */
    boolean wasThinned() {
        return longestPauseNs > 2 * EVERY_NS;
    }

    long longestPauseNs() {
        return longestPauseNs;
    }

    long longestReadingNs() {
        return longestReadingNs;
    }
}
