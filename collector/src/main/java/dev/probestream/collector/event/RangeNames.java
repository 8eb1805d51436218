package dev.probestream.collector.event;

import java.util.Map;
import java.util.TreeMap;

/** Names of address ranges, of which a later one hides what it covers of earlier ones. */
final class RangeNames {
    private record Named(long end, String name) {}

    /** By first address; no two overlap. Addresses of user space have no sign bit. */
    private final TreeMap<Long, Named> ranges = new TreeMap<>();

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
        ranges.put(start, new Named(end, name));
    }

    /** The name over an address, or "". */
    String nameOf(long address) {
        Map.Entry<Long, Named> range = ranges.floorEntry(address);
        return range != null && address < range.getValue().end()
                ? range.getValue().name()
                : "";
    }

    int count() {
        return ranges.size();
    }

    /** Leaves of an earlier range what lies before and behind the later one. */
    private void cut(long from, Named earlier, long start, long end) {
        ranges.remove(from);
        if (from < start) {
            ranges.put(from, new Named(start, earlier.name()));
        }
        if (earlier.end() > end) {
            ranges.put(end, earlier);
        }
    }
}
