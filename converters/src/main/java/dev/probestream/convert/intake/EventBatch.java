package dev.probestream.convert.intake;

import dev.probestream.schema.EventView;
import java.io.IOException;
import java.util.Arrays;

/**
 * Encoded events, copied out of the reader's buffer, and the order of their starts.
 *
 * <p>The order is such that spans of one thread which nest come parent first: by start; then the one that ends later
 * first; of two equal spans the one that was recorded later first, because a span is recorded at its end.
 */
public final class EventBatch {
    /** The end of a span that has not ended. */
    public static final long OPEN = Long.MAX_VALUE;

    private byte[] bytes = new byte[1 << 12];
    private int sizeBytes;
    private int[] offsets = new int[1 << 7];
    private long[] startsNs = new long[1 << 7];
    private long[] endsNs = new long[1 << 7];
    private int count;

    /** After sort: (start relative to the first, as far as it fits) above the slot, ascending. */
    private long[] order = new long[0];

    private int slotBits;
    private int rank;

    /** Times are the trace's, which differ from the view's for another machine's events. */
    public void add(EventView event, long startNs, long endNs) {
        int lengthBytes = event.lengthBytes();
        if (bytes.length - sizeBytes < lengthBytes) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, sizeBytes + lengthBytes));
        }
        if (count == offsets.length) {
            offsets = Arrays.copyOf(offsets, 2 * count);
            startsNs = Arrays.copyOf(startsNs, 2 * count);
            endsNs = Arrays.copyOf(endsNs, 2 * count);
        }
        System.arraycopy(event.buffer(), event.offset(), bytes, sizeBytes, lengthBytes);
        offsets[count] = sizeBytes;
        startsNs[count] = startNs;
        endsNs[count] = endNs;
        sizeBytes += lengthBytes;
        count++;
    }

    /** Puts the events in order and goes to the first one. */
    public void sort() {
        rank = 0;
        slotBits = Integer.SIZE - Integer.numberOfLeadingZeros(count);
        if (order.length < count) {
            order = new long[offsets.length];
        }
        long firstNs = Long.MAX_VALUE;
        for (int slot = 0; slot < count; slot++) {
            firstNs = Math.min(firstNs, startsNs[slot]);
        }
        long farthest = -1L >>> (slotBits + 1);
        for (int slot = 0; slot < count; slot++) {
            long distance = startsNs[slot] - firstNs;
            // Too far for the bits we have (or overflown): equal in the key, separated among the ties.
            if (distance < 0 || distance > farthest) {
                distance = farthest;
            }
            order[slot] = distance << slotBits | slot;
        }
        Arrays.sort(order, 0, count);
        sortTies();
    }

    private void sortTies() {
        int from = 0;
        while (from < count) {
            int to = from + 1;
            while (to < count && order[to] >>> slotBits == order[from] >>> slotBits) {
                to++;
            }
            if (to - from > 1) {
                sortTies(from, to);
            }
            from = to;
        }
    }

    private void sortTies(int from, int to) {
        Integer[] slots = new Integer[to - from];
        for (int i = 0; i < slots.length; i++) {
            slots[i] = slot(from + i);
        }
        Arrays.sort(slots, this::compareSlots);
        long key = order[from] >>> slotBits << slotBits;
        for (int i = 0; i < slots.length; i++) {
            order[from + i] = key | slots[i];
        }
    }

    private int compareSlots(int a, int b) {
        if (startsNs[a] != startsNs[b]) {
            return Long.compare(startsNs[a], startsNs[b]);
        }
        if (endsNs[a] != endsNs[b]) {
            return Long.compare(endsNs[b], endsNs[a]);
        }
        return endsNs[a] > startsNs[a] ? Integer.compare(b, a) : Integer.compare(a, b);
    }

    /** The current event's place, which it keeps until the batch is cleared. */
    public int slot() {
        return slot(rank);
    }

    public long startNs(int slot) {
        return startsNs[slot];
    }

    public long endNs(int slot) {
        return endsNs[slot];
    }

    /** Sets the end of an event that was open; its place in the order stays. */
    public void setEnd(int slot, long endNs) {
        endsNs[slot] = endNs;
    }

    /** Goes back to the first event. */
    public void rewind() {
        rank = 0;
    }

    private int slot(int rank) {
        return (int) (order[rank] & (1L << slotBits) - 1);
    }

    public boolean hasCurrent() {
        return rank < count;
    }

    /** Whether the current event of this batch, recorded before {@code later}'s, is to come before it. */
    public boolean comesBefore(EventBatch later) {
        long startNs = startNs();
        long laterStartNs = later.startNs();
        if (startNs != laterStartNs) {
            return startNs < laterStartNs;
        }
        if (endNs() != later.endNs()) {
            return endNs() > later.endNs();
        }
        return endNs() == startNs;
    }

    public long startNs() {
        return startsNs[slot(rank)];
    }

    /** {@link #OPEN} if it has not ended. */
    public long endNs() {
        return endsNs[slot(rank)];
    }

    public void advance() {
        rank++;
    }

    /** Wraps the current event in {@code view}, in this batch's own array: valid until the batch is cleared. */
    public void show(EventView view) throws IOException {
        // Up to the end of all events: the view reads faster where its limit is far.
        view.wrap(bytes, offsets[slot(rank)], sizeBytes);
    }

    public void clear() {
        count = 0;
        sizeBytes = 0;
        rank = 0;
    }
}
