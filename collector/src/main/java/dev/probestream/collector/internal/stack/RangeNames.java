package dev.probestream.collector.internal.stack;

import java.util.Map;
import java.util.TreeMap;

/**
 * Names of address ranges. A later range replaces the parts of earlier ranges that it covers. If there are too many
 * ranges, or their names are too long in total, the older half is evicted.
 */
final class RangeNames {
    /** @param age sequence number of the put */
    private record Named(long end, String name, long age) {}

    private final int maxRanges;
    private final int maxCharacters;
    /** By first address, without overlaps. User space addresses are positive as longs. */
    private final TreeMap<Long, Named> ranges = new TreeMap<>();

    private long characters;
    private long nextAge;
    private boolean hasEvicted;

    /** @param maxCharacters maximum total length of the names */
    RangeNames(int maxRanges, int maxCharacters) {
        this.maxRanges = maxRanges;
        this.maxCharacters = maxCharacters;
    }

    void put(long start, long end, String name) {
        Map.Entry<Long, Named> before = ranges.lowerEntry(start);
        if (before != null && before.getValue().end() > start) {
            cut(before.getKey(), before.getValue(), start, end);
        }
        Map.Entry<Long, Named> hidden = ranges.ceilingEntry(start);
        while (hidden != null && hidden.getKey() < end) {
            cut(hidden.getKey(), hidden.getValue(), start, end);
            hidden = ranges.ceilingEntry(start);
        }
        add(start, new Named(end, name, nextAge++));
        if (ranges.size() > maxRanges || characters > maxCharacters) {
            evictOlderHalf();
        }
    }

    /** The name of the range that contains the address, or "". */
    String nameOf(long address) {
        Map.Entry<Long, Named> range = ranges.floorEntry(address);
        return range != null && address < range.getValue().end()
                ? range.getValue().name()
                : "";
    }

    int count() {
        return ranges.size();
    }

    /** Whether ranges were ever evicted. */
    boolean hasEvicted() {
        return hasEvicted;
    }

    /** Keeps the parts of an earlier range that lie before and after the later one. */
    private void cut(long from, Named earlier, long start, long end) {
        remove(from);
        if (from < start) {
            add(from, new Named(start, earlier.name(), earlier.age()));
        }
        if (earlier.end() > end) {
            add(end, earlier);
        }
    }

    private void add(long start, Named named) {
        ranges.put(start, named);
        characters += named.name().length();
    }

    private void remove(long start) {
        Named removed = ranges.remove(start);
        characters -= removed == null ? 0 : removed.name().length();
    }

    private void evictOlderHalf() {
        long[] ages = ranges.values().stream().mapToLong(Named::age).sorted().toArray();
        long middle = ages[ages.length / 2];
        ranges.values().removeIf(named -> named.age() < middle);
        characters = ranges.values().stream()
                .mapToLong(named -> named.name().length())
                .sum();
        hasEvicted = true;
    }
}
