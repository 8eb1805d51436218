package dev.probestream.convert.request;

import org.jspecify.annotations.Nullable;

/**
 * What is known under the pointers (or other numbers) of processes, without boxing and in bounded memory: at most twice
 * the limit; what has not been asked for the longest is forgotten first, in generations.
 */
final class PointerTable<V> {
    private final int limit;
    private Generation<V> young = new Generation<>();
    private Generation<V> old = new Generation<>();

    PointerTable(int limit) {
        this.limit = limit;
    }

    @Nullable
    V get(int pid, long pointer) {
        V known = young.get(pid, pointer);
        if (known == null) {
            known = old.remove(pid, pointer);
            if (known != null) {
                add(pid, pointer, known);
            }
        }
        return known;
    }

    /** Replaces what was there. */
    void put(int pid, long pointer, V value) {
        old.remove(pid, pointer);
        add(pid, pointer, value);
    }

    private void add(int pid, long pointer, V value) {
        if (young.size >= limit && young.get(pid, pointer) == null) {
            old = young;
            young = new Generation<>();
        }
        young.put(pid, pointer, value);
    }

    /** What was there; null = nothing. */
    @Nullable
    V remove(int pid, long pointer) {
        V inOld = old.remove(pid, pointer);
        V inYoung = young.remove(pid, pointer);
        return inYoung != null ? inYoung : inOld;
    }

    int size() {
        return young.size + old.size;
    }

    /** Open addressing, linear probing, at most half full; removing moves those behind forward, so no gaps remain. */
    private static final class Generation<V> {
        private int[] pids = new int[16];
        private long[] pointers = new long[16];
        private @Nullable Object[] values = new Object[16];
        private int size;

        @Nullable
        V get(int pid, long pointer) {
            return valueAt(find(pid, pointer));
        }

        private @Nullable V valueAt(int at) {
            @SuppressWarnings("unchecked") // only put() fills values, with a V
            V value = (V) values[at];
            return value;
        }

        void put(int pid, long pointer, V value) {
            int at = find(pid, pointer);
            if (values[at] == null && 2 * ++size > values.length) {
                grow();
                at = find(pid, pointer);
            }
            set(at, pid, pointer, value);
        }

        private void set(int at, int pid, long pointer, @Nullable Object value) {
            pids[at] = pid;
            pointers[at] = pointer;
            values[at] = value;
        }

        @Nullable
        V remove(int pid, long pointer) {
            int gap = find(pid, pointer);
            V removed = valueAt(gap);
            if (removed == null) {
                return null;
            }
            size--;
            int mask = values.length - 1;
            for (int at = (gap + 1) & mask; values[at] != null; at = (at + 1) & mask) {
                int home = home(pids[at], pointers[at]);
                if (((at - home) & mask) >= ((at - gap) & mask)) {
                    set(gap, pids[at], pointers[at], values[at]);
                    gap = at;
                }
            }
            values[gap] = null;
            return removed;
        }

        /** Where the key is, or the free place where it would go. */
        private int find(int pid, long pointer) {
            int mask = values.length - 1;
            int at = home(pid, pointer);
            while (values[at] != null && (pointers[at] != pointer || pids[at] != pid)) {
                at = (at + 1) & mask;
            }
            return at;
        }

        /** Fibonacci hashing: pointers differ in few bits, the multiplication spreads them to the top ones. */
        private int home(int pid, long pointer) {
            return (int) (((pointer ^ (long) pid << 48) * 0x9E3779B97F4A7C15L) >>> 32) & (values.length - 1);
        }

        private void grow() {
            int[] oldPids = pids;
            long[] oldPointers = pointers;
            @Nullable Object[] oldValues = values;
            pids = new int[2 * oldPids.length];
            pointers = new long[pids.length];
            values = new Object[pids.length];
            for (int i = 0; i < oldValues.length; i++) {
                if (oldValues[i] != null) {
                    set(find(oldPids[i], oldPointers[i]), oldPids[i], oldPointers[i], oldValues[i]);
                }
            }
        }
    }
}
