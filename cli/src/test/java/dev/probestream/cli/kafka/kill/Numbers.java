package dev.probestream.cli.kafka.kill;

import java.util.Arrays;

/** Numbers in the order in which they came; millions of them, so they are not boxed. */
final class Numbers {
    private long[] values = new long[1024];
    private int size;

    void add(long value) {
        if (size == values.length) {
            values = Arrays.copyOf(values, 2 * size);
        }
        values[size++] = value;
    }

    int size() {
        return size;
    }

    long get(int index) {
        return values[index];
    }

    long[] sorted() {
        long[] sorted = Arrays.copyOf(values, size);
        Arrays.sort(sorted);
        return sorted;
    }
}
