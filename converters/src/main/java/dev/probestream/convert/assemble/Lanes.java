package dev.probestream.convert.assemble;

import dev.probestream.convert.intake.EventBatch;
import dev.probestream.convert.timeline.ThreadTrack;
import dev.probestream.convert.timeline.TraceWriter;
import java.io.IOException;
import java.util.Arrays;

/**
 * The lanes of one thread. Lane 0 is the thread's own track; a span that overlaps another one there without nesting
 * stands on the first further lane where it nests.
 */
final class Lanes {
    static final int MAX_LANES = 64;

    /** No lane takes it without breaking the nesting. */
    static final int NONE = -1;

    private final ThreadTrack thread;
    private SpanStack[] stacks = {new SpanStack()};

    Lanes(ThreadTrack thread) {
        this.thread = thread;
    }

    /** Writes the ends of all spans that have ended by then. */
    void closeUntil(long atNs, TraceWriter writer) throws IOException {
        for (int lane = 0; lane < stacks.length; lane++) {
            while (stacks[lane].hasEndedBy(atNs)) {
                writer.endSpan(thread, lane, stacks[lane].pop());
            }
        }
    }

    /** The lane for a span, after {@link #closeUntil} its start; opened if need be. */
    int laneFor(long startNs, long endNs) {
        for (int lane = 0; lane < stacks.length; lane++) {
            if (stacks[lane].accepts(startNs, endNs)) {
                return stacks[lane].isFull() ? NONE : lane;
            }
        }
        if (stacks.length == MAX_LANES) {
            return NONE;
        }
        stacks = Arrays.copyOf(stacks, stacks.length + 1);
        stacks[stacks.length - 1] = new SpanStack();
        return stacks.length - 1;
    }

    /** @return the end it will have there, see {@link SpanStack#push} */
    long push(int lane, long startNs, long endNs) {
        return stacks[lane].push(startNs, endNs);
    }

    /** Writes the ends of all spans that have one. */
    void closeAll(TraceWriter writer) throws IOException {
        for (int lane = 0; lane < stacks.length; lane++) {
            while (!stacks[lane].isEmpty()) {
                long endNs = stacks[lane].pop();
                if (endNs != EventBatch.OPEN) {
                    writer.endSpan(thread, lane, endNs);
                }
            }
        }
    }
}
