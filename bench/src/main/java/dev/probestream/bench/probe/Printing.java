package dev.probestream.bench.probe;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * How a tool printed a burst of hits into a file.
 *
 * @param perHitNs CPU time of the thread that is hit
 * @param offeredPerSecond hits, of the wall clock
 * @param lines printed
 * @param seconds from the first hit to the last line
 */
record Printing(double perHitNs, double offeredPerSecond, long lines, double seconds) {
    /** In every line that a tool prints of the target, and in no other. */
    private static final String TEXT = "/srv/app/";

    /** No line for so long: there are no more to come. */
    private static final long QUIET_NS = TimeUnit.MILLISECONDS.toNanos(300);

    /** Has the target be hit and waits until the tool has printed what it can of that. */
    static Printing of(Hits hits, int count, Tool tool) throws IOException {
        long linesBefore = lines(tool);
        long startNs = System.nanoTime();
        double perHitNs = hits.perHit(count);
        long hitNs = System.nanoTime() - startNs;
        Growth growth = new Growth(tool);
        tool.await("print no more", () -> System.nanoTime() - growth.lastSeenNs() > QUIET_NS);
        double seconds = (growth.lastSeenNs() - startNs) / 1e9;
        return new Printing(perHitNs, count * 1e9 / hitNs, lines(tool) - linesBefore, seconds);
    }

    /** How many lines a tool has printed so far. */
    static long lines(Tool tool) throws IOException {
        return tool.output().lines().filter(line -> line.contains(TEXT)).count();
    }

    /** When a file was last seen to have grown. */
    private static final class Growth {
        private final Tool tool;
        private long sizeBytes = -1;
        private long growthNs;

        Growth(Tool tool) {
            this.tool = tool;
        }

        long lastSeenNs() throws IOException {
            long nowBytes = tool.outputBytes();
            if (nowBytes != sizeBytes) {
                sizeBytes = nowBytes;
                growthNs = System.nanoTime();
            }
            return growthNs;
        }
    }
}
