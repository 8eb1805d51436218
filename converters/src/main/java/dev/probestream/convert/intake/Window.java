package dev.probestream.convert.intake;

import java.util.Arrays;
import java.util.Set;

/** The time range and the processes that are selected: {@code fromNs <= t < toNs} on the trace's clock. */
public final class Window {
    /** Everything. */
    public static final Window ALL = new Window(Long.MIN_VALUE, Long.MAX_VALUE, Set.of());

    private final long fromNs;
    private final long toNs;
    private final int[] pids;

    /** @param pids empty = all processes */
    public Window(long fromNs, long toNs, Set<Integer> pids) {
        this.fromNs = fromNs;
        this.toNs = toNs;
        this.pids = pids.stream().mapToInt(Integer::intValue).sorted().toArray();
    }

    /** When it begins; {@link Long#MIN_VALUE} = with the recording. */
    public long fromNs() {
        return fromNs;
    }

    /** Whether something of that time, both ends included, lies at least partly in it. */
    public boolean overlaps(long startNs, long endNs) {
        return (startNs < toNs || toNs == Long.MAX_VALUE) && endNs >= fromNs;
    }

    /** Whether something that overlaps reaches over an edge. */
    public boolean cuts(long startNs, long endNs) {
        return startNs < fromNs || (endNs > toNs && toNs != Long.MAX_VALUE);
    }

    /** That moment, or the edge of the range that is nearest to it. */
    public long clamp(long atNs) {
        return Math.min(Math.max(atNs, fromNs), toNs);
    }

    /** Whether that process is selected. */
    public boolean hasProcess(int pid) {
        return pids.length == 0 || Arrays.binarySearch(pids, pid) >= 0;
    }
}
