package dev.probestream.cli.hist.records;

import java.util.Arrays;

/** Numbers keys of a fixed number of longs, from 0 in the order of their coming. A key that is known allocates nothing. */
final class KeyTable {
    private final int width;
    private final int maxKeys;
    /** The keys, one behind the other. */
    private long[] keys;
    /** Open addressing: the number of a key plus 1; 0 = free. A power of two, at most half full. */
    private int[] slots = new int[64];

    private int count;

    KeyTable(int width, int maxKeys) {
        this.width = width;
        this.maxKeys = maxKeys;
        this.keys = new long[16 * Math.max(width, 1)];
    }

    int count() {
        return count;
    }

    /** The number of a key, which is added if it is new; -1 if it is new and there is no room. */
    int number(long[] key) {
        int slot = slot(key);
        if (slots[slot] != 0) {
            return slots[slot] - 1;
        }
        if (count == maxKeys) {
            return -1;
        }
        if (keys.length < (count + 1) * width) {
            keys = Arrays.copyOf(keys, 2 * keys.length);
        }
        System.arraycopy(key, 0, keys, count * width, width);
        slots[slot] = ++count;
        if (2 * count > slots.length) {
            grow();
        }
        return count - 1;
    }

    /** A part of a key. */
    long part(int number, int index) {
        return keys[number * width + index];
    }

    private int slot(long[] key) {
        int slot = hash(key, 0) & (slots.length - 1);
        while (slots[slot] != 0 && !isAt(slots[slot] - 1, key)) {
            slot = (slot + 1) & (slots.length - 1);
        }
        return slot;
    }

    private boolean isAt(int number, long[] key) {
        return Arrays.equals(keys, number * width, (number + 1) * width, key, 0, width);
    }

    private void grow() {
        slots = new int[2 * slots.length];
        for (int number = 0; number < count; number++) {
            int slot = hash(keys, number * width) & (slots.length - 1);
            while (slots[slot] != 0) {
                slot = (slot + 1) & (slots.length - 1);
            }
            slots[slot] = number + 1;
        }
    }

    /** Ids of stacks are hashes, other parts are small numbers: all bits are mixed. */
    private int hash(long[] parts, int from) {
        long hash = 0;
        for (int i = 0; i < width; i++) {
            hash = (hash ^ parts[from + i]) * 0x9e3779b97f4a7c15L;
            hash ^= hash >>> 32;
        }
        return (int) hash;
    }
}
