package dev.probestream.collector.internal.stack;

import java.util.Arrays;

/**
 * A table from non-zero hashes to values. Grows up to a bound; when it is full, it is cleared. Allocates only when it
 * grows.
 */
final class StackIdTable {
    private static final int INITIAL_SLOTS = 1 << 10;

    private final int maxSlots;
    /** Open addressing with linear probing; 0 = free; a power of two, never more than half full. */
    private long[] keys = new long[INITIAL_SLOTS];

    private long[] values = new long[INITIAL_SLOTS];
    private int count;

    /** {@code maxSlots} is a power of two. */
    StackIdTable(int maxSlots) {
        this.maxSlots = maxSlots;
    }

    /** The value of a hash; 0 = none. */
    long get(long hash) {
        int slot = slotOf(hash);
        return keys[slot] == hash ? values[slot] : 0;
    }

    void put(long hash, long value) {
        if (2 * (count + 1) > keys.length) {
            grow();
        }
        int slot = slotOf(hash);
        count += keys[slot] == 0 ? 1 : 0;
        keys[slot] = hash;
        values[slot] = value;
    }

    void clear() {
        Arrays.fill(keys, 0);
        count = 0;
    }

    /** The slot that holds the hash, or the free slot for it. */
    private int slotOf(long hash) {
        int mask = keys.length - 1;
        int slot = (int) hash & mask;
        while (keys[slot] != 0 && keys[slot] != hash) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    private void grow() {
        if (keys.length == maxSlots) {
            clear();
            return;
        }
        long[] oldKeys = keys;
        long[] oldValues = values;
        keys = new long[oldKeys.length * 2];
        values = new long[oldKeys.length * 2];
        for (int i = 0; i < oldKeys.length; i++) {
            if (oldKeys[i] != 0) {
                int slot = slotOf(oldKeys[i]);
                keys[slot] = oldKeys[i];
                values[slot] = oldValues[i];
            }
        }
    }
}
