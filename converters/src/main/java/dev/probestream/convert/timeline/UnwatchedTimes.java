package dev.probestream.convert.timeline;

import dev.probestream.schema.record.Gap;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/**
 * When probes of one capture were not watched, by category; on the trace's clock. Two hits on both sides of such a time do
 * not belong together: what happened between them is unknown.
 */
public final class UnwatchedTimes {
    /** There is none. */
    public static final long NONE = Long.MAX_VALUE;

    private final Map<String, Starts> byCategory = new HashMap<>();

    /** The starts of the gaps of one category. */
    private static final class Starts {
        private long[] startsNs = new long[16];
        private int count;

        void add(long startNs) {
            if (count == startsNs.length) {
                startsNs = Arrays.copyOf(startsNs, 2 * count);
            }
            startsNs[count++] = startNs;
        }

        void sort() {
            Arrays.sort(startsNs, 0, count);
        }
    }

    UnwatchedTimes() {}

    void add(Gap gap, long clockShiftNs) {
        byCategory.computeIfAbsent(gap.getCategory(), category -> new Starts()).add(gap.getFromNs() + clockShiftNs);
    }

    /** Everything was added. */
    void sort() {
        byCategory.values().forEach(Starts::sort);
    }

    /** Whether there are any. */
    public boolean areAny() {
        return !byCategory.isEmpty();
    }

    /** Where the first gap of that category begins from that moment on; {@link #NONE} = nowhere. */
    public long nextStart(String category, long atNs) {
        Starts starts = byCategory.get(category);
        if (starts == null) {
            return NONE;
        }
        int at = Arrays.binarySearch(starts.startsNs, 0, starts.count, atNs);
        int next = at < 0 ? -at - 1 : at;
        return next < starts.count ? starts.startsNs[next] : NONE;
    }

    /** Whether a gap of that category begins between two moments. */
    public boolean separates(String category, long fromNs, long toNs) {
        return nextStart(category, fromNs) < toNs;
    }

    /** Where gaps of any of these categories begin, ascending. */
    public long[] starts(Collection<String> categories) {
        return byCategory.entrySet().stream()
                .filter(entry -> categories.contains(entry.getKey()))
                .map(Map.Entry::getValue)
                .flatMapToLong(starts -> Arrays.stream(starts.startsNs, 0, starts.count))
                .sorted()
                .toArray();
    }
}
