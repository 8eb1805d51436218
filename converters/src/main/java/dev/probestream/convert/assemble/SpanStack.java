package dev.probestream.convert.assemble;

import dev.probestream.convert.intake.EventBatch;
import java.util.Arrays;

/** The spans that are open on one lane of a thread, outermost first: the end of each lies within the one below it. */
final class SpanStack {
    /** trace_processor keeps no deeper slices. */
    static final int MAX_DEPTH = 512;

    private long[] endsNs = new long[8];
    private int depth;
    private long lastNs = Long.MIN_VALUE;

    /** Whether a span has its place here, after everything that has ended by its start was popped. */
    boolean accepts(long startNs, long endNs) {
        return startNs >= lastNs && (depth == 0 || endNs == EventBatch.OPEN || endNs <= endsNs[depth - 1]);
    }

    boolean isFull() {
        return depth == MAX_DEPTH;
    }

    /** @return the end it will have here: an open span ends with the closed one around it. */
    long push(long startNs, long endNs) {
        if (depth == endsNs.length) {
            endsNs = Arrays.copyOf(endsNs, 2 * depth);
        }
        long end = depth == 0 ? endNs : Math.min(endNs, endsNs[depth - 1]);
        endsNs[depth++] = end;
        lastNs = startNs;
        return end;
    }

    /** Whether the innermost span has ended by then. */
    boolean hasEndedBy(long atNs) {
        return depth > 0 && endsNs[depth - 1] <= atNs;
    }

    boolean isEmpty() {
        return depth == 0;
    }

    /** @return when the innermost span ended, {@link EventBatch#OPEN} = not */
    long pop() {
        long end = endsNs[--depth];
        if (end != EventBatch.OPEN) {
            lastNs = Math.max(lastNs, end);
        }
        return end;
    }
}
