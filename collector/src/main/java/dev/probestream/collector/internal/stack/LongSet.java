package dev.probestream.collector.internal.stack;

import java.util.Arrays;

/** A set of non-zero hashes. Grows up to a bound; when it is full, it is cleared. Allocates only when it grows. */
final class LongSet {
    private static final int INITIAL_SLOTS = 1 << 10;

    private final int maxSlots;
    /** Open addressing with linear probing; 0 = free; a power of two, never more than half full. */
    private long[] slots = new long[INITIAL_SLOTS];

    private int count;

    /** {@code maxSlots} is a power of two. */
    LongSet(int maxSlots) {
        this.maxSlots = maxSlots;
    }

    boolean contains(long hash) {
        return slots[slotOf(hash)] == hash;
    }

    void add(long hash) {
        if (2 * (count + 1) > slots.length) {
            grow();
        }
        int slot = slotOf(hash);
        if (slots[slot] == 0) {
            slots[slot] = hash;
            count++;
        }
    }

    void clear() {
        Arrays.fill(slots, 0);
        count = 0;
    }

    int size() {
        return count;
    }

    /** The slot that holds the hash, or the free slot for it. */
    private int slotOf(long hash) {
        int mask = slots.length - 1;
        int slot = (int) hash & mask;
        while (slots[slot] != 0 && slots[slot] != hash) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    private void grow() {
        if (slots.length == maxSlots) {
            clear();
            return;
        }
        long[] old = slots;
        slots = new long[old.length * 2];
        for (long hash : old) {
            if (hash != 0) {
                slots[slotOf(hash)] = hash;
            }
        }
    }
}
