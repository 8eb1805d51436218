package dev.probestream.convert.request.plan;

import java.util.Arrays;

/** Times of something; those that overlap or touch are one. */
final class Times {
    /** In the order of time. */
    private long[] fromNs = new long[4];

    private long[] toNs = new long[4];
    private int size;

    void add(long newFromNs, long newToNs) {
        int first = firstEndingAt(newFromNs);
        int behind = first;
        long from = newFromNs;
        long to = Math.max(newFromNs, newToNs);
        for (; behind < size && fromNs[behind] <= to; behind++) {
            from = Math.min(from, fromNs[behind]);
            to = Math.max(to, toNs[behind]);
        }
        replace(first, behind);
        fromNs[first] = from;
        toNs[first] = to;
    }

    /** Joins the earliest two with what lies between them, if there are more than so many. */
    void joinBeyond(int limit) {
        if (size > limit) {
            System.arraycopy(fromNs, 2, fromNs, 1, size - 2);
            System.arraycopy(toNs, 1, toNs, 0, size - 1);
            size--;
        }
    }

    /** Makes one place of those from the first on, or a new one of none. */
    private void replace(int first, int behind) {
        if (size == fromNs.length) {
            fromNs = Arrays.copyOf(fromNs, 2 * size);
            toNs = Arrays.copyOf(toNs, 2 * size);
        }
        System.arraycopy(fromNs, behind, fromNs, first + 1, size - behind);
        System.arraycopy(toNs, behind, toNs, first + 1, size - behind);
        size += first + 1 - behind;
    }

    int size() {
        return size;
    }

    /** Which times. */
    interface Which {
        boolean is(long fromNs, long toNs);
    }

    /** Gives up these. */
    void removeIf(Which which) {
        int kept = 0;
        for (int i = 0; i < size; i++) {
            if (!which.is(fromNs[i], toNs[i])) {
                fromNs[kept] = fromNs[i];
                toNs[kept++] = toNs[i];
            }
        }
        size = kept;
    }

    boolean areAny() {
        return size > 0;
    }

    /** Whether any overlaps with the time between two moments, which are part of it. */
    boolean areAny(long betweenFromNs, long betweenToNs) {
        int first = size == 0 ? 0 : firstEndingAt(betweenFromNs);
        return first < size && fromNs[first] <= betweenToNs;
    }

    /** Whether one has all of the time between two moments. */
    boolean covers(long betweenFromNs, long betweenToNs) {
        int at = firstEndingAt(betweenToNs);
        return at < size && fromNs[at] <= betweenFromNs;
    }

    /** The place of the first that ends at that time or later. */
    private int firstEndingAt(long atNs) {
        int at = Arrays.binarySearch(toNs, 0, size, atNs);
        return at < 0 ? -at - 1 : at;
    }
}
