package dev.probestream.cli.loop;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Builds the tree of activities of one thread. An activity is added when it ends, so inner ones come before outer ones.
 * Keeps at most {@value #MAX_HELD} activities of a turn.
 */
final class LoopActivityTree {
    private static final int MAX_HELD = 4096;

    private final long minDurationNs;
    private List<LoopTurn.Activity> outermost = new ArrayList<>();
    private int held;

    /** @param minDurationNs shorter activities are left out */
    LoopActivityTree(long minDurationNs) {
        this.minDurationNs = minDurationNs;
    }

    /** Whether an activity of this length is kept. */
    boolean keeps(long durationNs) {
        return durationNs >= minDurationNs && held < MAX_HELD;
    }

    /** Adds an activity that has just ended; activities that started after it ran inside it. */
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

    /** Takes the activities added since the previous call. */
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
