package dev.probestream.convert.request.context;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The owners of the objects in the young generation of one thread's heap. V8 puts one behind the other, so that all
 * between where the next one came when a callback began and where it comes when the following one begins were made meanwhile. This
 * holds until a garbage collection moves them, and as long as both places are in one page: pages follow each other in any order.
 *
 * @param <T> an owner
 */
final class MadeObjects<T> {
    static final int LIMIT = 1 << 14;

    /** kPageSizeBits of V8's heap (v8/src/base/build_config.h). */
    private static final int PAGE_BITS = 18;

    /** Of each range its first address, the one behind it, and its owner; in the order of the addresses. */
    private long[] starts = new long[64];

    private long[] ends = new long[64];
    private @Nullable Object[] owners = new Object[64];
    private int size;

    /** Where the next object came when the callback began that is running; 0 = unknown. */
    private long begunAt;

    /**
     * A callback begins.
     *
     * @param top where the next object comes; 0 = unknown
     * @param before the owner of the callback before it; null = unknown
     */
    void begin(long top, @Nullable T before) {
        boolean isSamePage = begunAt != 0 && top >>> PAGE_BITS == begunAt >>> PAGE_BITS;
        if (isSamePage && top < begunAt) {
            forget(); // there was a collection that is not recorded
        } else if (isSamePage && top > begunAt && before != null) {
            add(begunAt, top, before);
        }
        begunAt = top;
    }

    /** The owner that the object at that address was made for; null = unknown. */
    @Nullable
    Object ownerOf(long address) {
        int place = placeOf(address);
        return place >= 0 && address < ends[place] ? owners[place] : null;
    }

    /** Whether the object at that address is known to be made in the callback that is running, or may be as its begin is not known. */
    boolean mayBeMadeNow(long address) {
        return begunAt == 0 || (address >>> PAGE_BITS == begunAt >>> PAGE_BITS && address >= begunAt);
    }

    /** A garbage collection moves the objects. */
    void forget() {
        Arrays.fill(owners, 0, size, null);
        size = 0;
        begunAt = 0;
    }

    /** The last range that begins there or before; -1 = none does. */
    private int placeOf(long address) {
        int found = Arrays.binarySearch(starts, 0, size, address);
        return found >= 0 ? found : -found - 2;
    }

    private void add(long start, long end, T owner) {
        int place = placeOf(start);
        boolean overlapsBefore = place >= 0 && ends[place] > start;
        boolean overlapsNext = place + 1 < size && starts[place + 1] < end;
        if (size == LIMIT || overlapsBefore || overlapsNext) {
            forget();
            place = -1;
        }
        if (place >= 0 && ends[place] == start && owners[place] == owner) {
            ends[place] = end;
            return;
        }
        if (size == starts.length) {
            starts = Arrays.copyOf(starts, 2 * size);
            ends = Arrays.copyOf(ends, 2 * size);
            owners = Arrays.copyOf(owners, 2 * size);
        }
        int at = place + 1;
        System.arraycopy(starts, at, starts, at + 1, size - at);
        System.arraycopy(ends, at, ends, at + 1, size - at);
        System.arraycopy(owners, at, owners, at + 1, size - at);
        starts[at] = start;
        ends[at] = end;
        owners[at] = owner;
        size++;
    }
}
