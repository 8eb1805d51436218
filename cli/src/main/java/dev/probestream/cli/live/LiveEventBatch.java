package dev.probestream.cli.live;

import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.EventView;
import dev.probestream.schema.MalformedEventException;
import java.util.Arrays;

/** Copies of the events of one read of the ring, kept until their stacks have names. */
public final class LiveEventBatch {
    /** A live collection reads at most this many at a time; more events at its end are printed in several batches. */
    private static final int MAX_EVENTS = 4096;

    private static final int MAX_BYTES = 8 << 20;

    private byte[] bytes = new byte[1 << 16];
    private int[] ends = new int[256];
    private int count;

    /** The number of events. */
    public int count() {
        return count;
    }

    /** Whether the batch is full. */
    public boolean isFull() {
        return count >= MAX_EVENTS || end(count) >= MAX_BYTES;
    }

    /** Copies an event. */
    public void add(EventEncoder event) {
        int start = end(count);
        int lengthBytes = event.length();
        if (bytes.length - start < lengthBytes) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, start + lengthBytes));
        }
        if (count == ends.length) {
            ends = Arrays.copyOf(ends, 2 * count);
        }
        System.arraycopy(event.bytes(), event.offset(), bytes, start, lengthBytes);
        ends[count++] = start + lengthBytes;
    }

    /** Views one of the events; valid until the next event is added. */
    public void view(int index, EventView view) {
        try {
            view.wrap(bytes, end(index), ends[index]);
        } catch (MalformedEventException e) {
            throw new IllegalStateException("an event that was encoded here cannot be read", e);
        }
    }

    /** Removes all events. */
    public void clear() {
        count = 0;
    }

    private int end(int events) {
        return events == 0 ? 0 : ends[events - 1];
    }
}
