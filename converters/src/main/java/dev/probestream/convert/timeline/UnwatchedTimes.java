package dev.probestream.convert.timeline;

import dev.probestream.schema.record.Gap;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.LongStream;

/**
 * When probes of one capture were not watched, by category; on the trace's clock. Two hits on both sides of such a time do
 * not belong together: what happened between them is unknown.
 */
public final class UnwatchedTimes {
    /** There is none. */
    public static final long NONE = Long.MAX_VALUE;

    private final Map<String, Gaps> byCategory = new HashMap<>();

    /** The gaps of one category. */
    private static final class Gaps {
        final Moments starts = new Moments();
        final Moments ends = new Moments();
    }

    private static final class Moments {
        private long[] atNs = new long[16];
        private int count;

        void add(long ns) {
            if (count == atNs.length) {
                atNs = Arrays.copyOf(atNs, 2 * count);
            }
            atNs[count++] = ns;
        }

        void sort() {
            Arrays.sort(atNs, 0, count);
        }

        /** How many there are until then, that moment included. */
        int upTo(long ns) {
            int at = Arrays.binarySearch(atNs, 0, count, ns + 1);
            return at < 0 ? -at - 1 : at;
        }

        LongStream stream() {
            return Arrays.stream(atNs, 0, count);
        }
    }

    UnwatchedTimes() {}

    void add(Gap gap, long clockShiftNs) {
        Gaps gaps = byCategory.computeIfAbsent(gap.getCategory(), category -> new Gaps());
        gaps.starts.add(gap.getFromNs() + clockShiftNs);
        gaps.ends.add(gap.getToNs() + clockShiftNs);
    }

    /** Everything was added. */
    void sort() {
        byCategory.values().forEach(gaps -> {
            gaps.starts.sort();
            gaps.ends.sort();
        });
    }

    /** Whether there are any. */
    public boolean areAny() {
        return !byCategory.isEmpty();
    }

    /** Where the first gap of that category begins from that moment on; {@link #NONE} = nowhere. */
    public long nextStart(String category, long atNs) {
        Gaps gaps = byCategory.get(category);
        if (gaps == null) {
            return NONE;
        }
        Moments starts = gaps.starts;
        int at = Arrays.binarySearch(starts.atNs, 0, starts.count, atNs);
        int next = at < 0 ? -at - 1 : at;
        return next < starts.count ? starts.atNs[next] : NONE;
    }

    /** From when on any of these categories was not watched, that moment included; {@link #NONE} = it was until the end. */
    public long unwatchedFrom(Collection<String> categories, long atNs) {
        return categories.stream()
                .mapToLong(category -> isWithin(category, atNs) ? atNs : nextStart(category, atNs))
                .min()
                .orElse(NONE);
    }

    private boolean isWithin(String category, long atNs) {
        Gaps gaps = byCategory.get(category);
        return gaps != null && gaps.starts.upTo(atNs) > gaps.ends.upTo(atNs);
    }

    /** Whether a gap of that category begins between two moments. */
    public boolean separates(String category, long fromNs, long toNs) {
        return nextStart(category, fromNs) < toNs;
    }

    /** Where a gap of any of these categories begins or ends, ascending. */
    public long[] edges(Collection<String> categories) {
        return byCategory.entrySet().stream()
                .filter(entry -> categories.contains(entry.getKey()))
                .map(Map.Entry::getValue)
                .flatMapToLong(gaps -> LongStream.concat(gaps.starts.stream(), gaps.ends.stream()))
                .sorted()
                .toArray();
    }
}
