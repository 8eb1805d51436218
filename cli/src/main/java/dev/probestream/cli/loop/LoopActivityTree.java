package dev.probestream.cli.loop;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Puts together what ran on one thread: what is told at its end, the inner before the outer. Holds no more than {@value
 * #MAX_HELD} of a turn.
 */
final class LoopActivityTree {
    private static final int MAX_HELD = 4096;

    private final long minDurationNs;
    private List<LoopTurn.Activity> outermost = new ArrayList<>();
    private int held;

    /** @param minDurationNs what was shorter is left out */
    LoopActivityTree(long minDurationNs) {
        this.minDurationNs = minDurationNs;
    }

    /** Whether it would be kept. */
    boolean keeps(long durationNs) {
        return durationNs >= minDurationNs && held < MAX_HELD;
    }

    /** Adds what ended just now; what began since it began ran inside of it. */
    void add(String name, String detail, long startNs, long durationNs) {
        int first = outermost.size();
        while (first > 0 && outermost.get(first - 1).startNs() >= startNs) {
            first--;
        }
        List<LoopTurn.Activity> tail = outermost.subList(first, outermost.size());
        List<LoopTurn.Activity> inside = tail.isEmpty() ? List.of() : List.copyOf(tail);
        tail.clear();
        outermost.add(new LoopTurn.Activity(name, detail, startNs, durationNs, inside));
        held++;
    }

    /** What was added since the last time. */
    List<LoopTurn.Activity> take() {
        if (held == 0) {
            return List.of();
        }
        List<LoopTurn.Activity> taken = Collections.unmodifiableList(outermost);
        outermost = new ArrayList<>();
        held = 0;
        return taken;
    }
}
