package dev.probestream.convert.assemble;

import dev.probestream.convert.timeline.TraceWriter;
import dev.probestream.convert.timeline.UnwatchedTimes;
import java.io.IOException;

/** The turns of one event loop; see {@link LoopLag}. */
final class LoopTurns {
    private static final long NONE = Long.MIN_VALUE;

    private final long address;
    private final TraceWriter.DerivedCounter counter;

    /** From where on callbacks of this turn may come. */
    private boolean isWaiting;

    private long busySinceNs = NONE;

    LoopTurns(long address, TraceWriter.DerivedCounter counter) {
        this.address = address;
        this.counter = counter;
    }

    /** The address of the loop: distinguishes it from others. */
    long address() {
        return address;
    }

    /** Something other than waiting begins on the loop's thread. */
    void callback(long startNs) {
        if (isWaiting && startNs < busySinceNs) {
            busySinceNs = startNs;
            isWaiting = false;
        }
    }

    /** The loop does not run from here to its next poll. */
    void rest() {
        busySinceNs = NONE;
        isWaiting = false;
    }

    /** A poll, which ends the turn before, unless a gap lies between; open ones end in {@link EventBatch#OPEN}. */
    void poll(long startNs, long endNs, UnwatchedTimes unwatched, String category, TraceWriter writer)
            throws IOException {
        boolean isWhole = busySinceNs != NONE && busySinceNs <= startNs;
        if (isWhole && !unwatched.separates(category, busySinceNs, startNs)) {
            writer.derived(counter, busySinceNs, startNs - busySinceNs);
        }
        busySinceNs = endNs;
        isWaiting = true;
    }
}
