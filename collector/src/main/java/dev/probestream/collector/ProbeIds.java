package dev.probestream.collector;

import java.util.OptionalInt;

/**
 * Hands out the ids of a capture's probes, from 1. The kernel's array of losses is as long as the highest id once the
 * programs are loaded: what is found later can only have one of those spared.
 */
final class ProbeIds {
    /** So many names may a glob bring in while a capture runs. */
    static final int SPARE = 64;

    private int next = 1;
    private int max = Integer.MAX_VALUE;

    /** The first of so many ids in a row. */
    int take(int count) {
        int first = next;
        next += count;
        return first;
    }

    /** Says that all is found: from here on there are only so many more. */
    void close(int spare) {
        max = next - 1 + spare;
    }

    /** One of those spared, while there are any. */
    OptionalInt takeSpare() {
        return next <= max ? OptionalInt.of(take(1)) : OptionalInt.empty();
    }

    /** The highest id there will be, once {@link #close} was called. */
    int max() {
        return max;
    }
}
