package dev.probestream.convert.merge.track;

import dev.probestream.convert.intake.Window;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/**
 * Which events of the files are selected. The first pass adds each; the second asks for them in the same order.
 *
 * <p>As in recordings, what only partly lies in the window is kept whole: so the two ends of a span are selected both or
 * neither. A span without an end is open at the end of the window; an end without a beginning is an instant.
 */
public final class EventSelection {
    private final Window window;
    private final boolean isTimeBounded;
    private final BitSet excluded = new BitSet();
    private final Map<String, Deque<Begun>> begun = new HashMap<>();
    private int added;
    private int position;
    private long firstNs = Long.MAX_VALUE;
    private long lastNs = Long.MIN_VALUE;

    private record Begun(int ordinal, long startNs) {}

    public EventSelection(Window window) {
        this.window = window;
        this.isTimeBounded =
                !(window.overlaps(Long.MIN_VALUE, Long.MIN_VALUE) && window.overlaps(Long.MAX_VALUE, Long.MAX_VALUE));
    }

    /** Something without a time. */
    public void timeless(int pid) {
        next(window.hasProcess(pid));
    }

    /** Something that must not be left out. */
    public void always() {
        next(true);
    }

    /** Something of all processes. */
    public void ofAllProcesses(long atNs) {
        extend(atNs);
        next(window.overlaps(atNs, atNs));
    }

    /** Something that is complete in itself. */
    public void complete(int pid, long startNs, long endNs) {
        extend(startNs);
        extend(endNs);
        next(window.hasProcess(pid) && window.overlaps(startNs, endNs));
    }

    /** The beginning of what ends, in stack order, with an {@link #end} of the same key. */
    public void begin(int pid, String key, long startNs) {
        extend(startNs);
        boolean isProcessSelected = window.hasProcess(pid);
        if (isTimeBounded && isProcessSelected) {
            begun.computeIfAbsent(key, newKey -> new ArrayDeque<>()).push(new Begun(added, startNs));
        }
        next(isProcessSelected);
    }

    public void end(int pid, String key, long endNs) {
        extend(endNs);
        boolean isSelected = window.hasProcess(pid);
        if (isTimeBounded && isSelected) {
            Deque<Begun> open = begun.get(key);
            if (open == null) {
                isSelected = window.overlaps(endNs, endNs);
            } else {
                Begun begin = open.pop();
                isSelected = window.overlaps(Math.min(begin.startNs, endNs), endNs);
                excluded.set(begin.ordinal, !isSelected);
                if (open.isEmpty()) {
                    begun.remove(key);
                }
            }
        }
        next(isSelected);
    }

    private void next(boolean isSelected) {
        excluded.set(added, !isSelected);
        added++;
    }

    private void extend(long atNs) {
        firstNs = Math.min(firstNs, atNs);
        lastNs = Math.max(lastNs, atNs);
    }

    /** All events were added. */
    public void complete() {
        begun.values()
                .forEach(open -> open.forEach(
                        begin -> excluded.set(begin.ordinal, !window.overlaps(begin.startNs, Long.MAX_VALUE))));
        begun.clear();
    }

    /** Whether the next one is selected. */
    public boolean nextIsSelected() {
        return !excluded.get(position++);
    }

    /** Starts asking from the first one again. */
    public void rewind() {
        position = 0;
    }

    public long excluded() {
        return excluded.cardinality();
    }

    /** Whether any added event has a time. */
    public boolean hasTimes() {
        return firstNs <= lastNs;
    }

    public long firstNs() {
        return firstNs;
    }

    public long lastNs() {
        return lastNs;
    }
}
