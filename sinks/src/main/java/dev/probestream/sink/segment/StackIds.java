package dev.probestream.sink.segment;

import java.util.Arrays;
import java.util.function.LongPredicate;

/** A set of stack ids; it never contains 0, which means no stack. Allocates only when it grows. */
public final class StackIds {
    private static final int INITIAL_SLOTS = 16;
    /** 2^64 divided by the golden ratio: spreads ids that differ in few bits. */
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    private long[] slots = new long[INITIAL_SLOTS];
    private int size;

    /** Does nothing for 0. */
    public void add(long stackId) {
        if (stackId == 0) {
            return;
        }
        int slot = slotOf(slots, stackId);
        if (slots[slot] == 0) {
            slots[slot] = stackId;
            if (++size > slots.length / 2) {
                grow();
            }
        }
    }

    public boolean contains(long stackId) {
        return stackId != 0 && slots[slotOf(slots, stackId)] != 0;
    }

    /** How many of them satisfy {@code condition}. */
    public int count(LongPredicate condition) {
        return (int) Arrays.stream(slots)
                .filter(stackId -> stackId != 0 && condition.test(stackId))
                .count();
    }

    private void grow() {
        long[] larger = new long[2 * slots.length];
        for (long stackId : slots) {
            if (stackId != 0) {
                larger[slotOf(larger, stackId)] = stackId;
            }
        }
        slots = larger;
    }

    /** Where it is, or where it would go. */
    private static int slotOf(long[] slots, long stackId) {
        int mask = slots.length - 1;
        int slot = (int) ((stackId * SPREAD) >>> 32) & mask;
        while (slots[slot] != 0 && slots[slot] != stackId) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }
}
