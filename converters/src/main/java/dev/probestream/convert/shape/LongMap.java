package dev.probestream.convert.shape;

import org.jspecify.annotations.Nullable;

/** A map from long to objects without boxing: open addressing, linear probing, at most half full. Nothing is removed. */
public final class LongMap<V> {
    private long[] keys = new long[16];
    private @Nullable Object[] values = new Object[16];
    private int size;

    public int size() {
        return size;
    }

    /** Null = there is none. */
    public @Nullable V get(long key) {
        @SuppressWarnings("unchecked") // only put() fills values, with a V
        V value = (V) values[find(key)];
        return value;
    }

    /** Replaces what was there. */
    public void put(long key, V value) {
        int at = find(key);
        if (values[at] == null && 2 * ++size > keys.length) {
            grow();
            at = find(key);
        }
        keys[at] = key;
        values[at] = value;
    }

    /** Where the key is, or the free place where it would go. */
    private int find(long key) {
        int mask = keys.length - 1;
        // Fibonacci hashing: pids and pointers differ in few bits, the multiplication spreads them to the top ones.
        int at = (int) ((key * 0x9E3779B97F4A7C15L) >>> 32) & mask;
        while (values[at] != null && keys[at] != key) {
            at = (at + 1) & mask;
        }
        return at;
    }

    private void grow() {
        long[] oldKeys = keys;
        @Nullable Object[] oldValues = values;
        keys = new long[2 * oldKeys.length];
        values = new Object[keys.length];
        for (int i = 0; i < oldKeys.length; i++) {
            Object value = oldValues[i];
            if (value != null) {
                int at = find(oldKeys[i]);
                keys[at] = oldKeys[i];
                values[at] = value;
            }
        }
    }
}
