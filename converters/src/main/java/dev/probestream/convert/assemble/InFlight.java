package dev.probestream.convert.assemble;

import java.io.IOException;
import java.util.Arrays;

/**
 * How many requests of a process and side were in flight. Requests come when they are over, and their starts lie
 * before: so the moments at which the number changes are held back and sorted.
 *
 * <p>At most {@value #MAX_CHANGES} are held back. When there are more the older half goes out; a change that comes
 * later than that counts from the last moment that went out on.
 */
final class InFlight {
    static final int MAX_CHANGES = 1 << 18;

    /** Takes the number from a moment on, in order of time. */
    interface Changes {
        void changed(long atNs, long value) throws IOException;
    }

    private final Changes to;

    /** A moment above one bit: 1 = a request ends then, 0 = one begins. */
    private long[] changes = new long[1 << 6];

    private int changeCount;
    private long value;
    private long writtenValue;
    private long lastNs;

    InFlight(Changes to) {
        this.to = to;
    }

    /** A request began then. */
    void began(long atNs) throws IOException {
        add(atNs, 0);
    }

    /** A request ended then. */
    void ended(long atNs) throws IOException {
        add(atNs, 1);
    }

    private void add(long atNs, int isEnd) throws IOException {
        if (changeCount == MAX_CHANGES) {
            write(MAX_CHANGES / 2);
        }
        if (changeCount == changes.length) {
            changes = Arrays.copyOf(changes, 2 * changeCount);
        }
        changes[changeCount++] = Math.max(lastNs, atNs) << 1 | isEnd;
    }

    void finish() throws IOException {
        write(changeCount);
    }

    /** The number after each moment, once: what begins and ends together shows as no change in between. */
    private void write(int count) throws IOException {
        Arrays.sort(changes, 0, changeCount);
        for (int i = 0; i < count; i++) {
            value += (changes[i] & 1) == 0 ? 1 : -1;
            lastNs = changes[i] >>> 1;
            boolean isLastOfMoment = i + 1 == count || changes[i + 1] >>> 1 != lastNs;
            if (isLastOfMoment && value != writtenValue) {
                writtenValue = value;
                to.changed(lastNs, value);
            }
        }
        changeCount -= count;
        System.arraycopy(changes, count, changes, 0, changeCount);
    }
}
