package dev.probestream.convert.merge.track;

import dev.probestream.convert.intake.Window;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/**
 * Which events of the files are wanted. Told of each in turn by the first reading, asked in the same order by the second.
 *
 * <p>As in recordings, what only partly lies in the window is kept whole: so the two ends of a span are wanted both or
 * neither. A span that never ends lasts for ever; an end without a beginning is a moment.
 */
public final class EventSelection {
    private final Window window;
    private final boolean isTimeBounded;
    private final BitSet unwanted = new BitSet();
    private final Map<String, Deque<Begun>> begun = new HashMap<>();
    private int told;
    private int asked;
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
        boolean isProcessWanted = window.hasProcess(pid);
        if (isTimeBounded && isProcessWanted) {
            begun.computeIfAbsent(key, newKey -> new ArrayDeque<>()).push(new Begun(told, startNs));
        }
        next(isProcessWanted);
    }

    public void end(int pid, String key, long endNs) {
        extend(endNs);
        boolean isWanted = window.hasProcess(pid);
        if (isTimeBounded && isWanted) {
            Deque<Begun> open = begun.get(key);
            if (open == null) {
                isWanted = window.overlaps(endNs, endNs);
            } else {
                Begun begin = open.pop();
                isWanted = window.overlaps(Math.min(begin.startNs, endNs), endNs);
                unwanted.set(begin.ordinal, !isWanted);
                if (open.isEmpty()) {
                    begun.remove(key);
                }
            }
        }
        next(isWanted);
    }

    private void next(boolean isWanted) {
        unwanted.set(told, !isWanted);
        told++;
    }

    private void extend(long atNs) {
        firstNs = Math.min(firstNs, atNs);
        lastNs = Math.max(lastNs, atNs);
    }

    /** Everything was told. */
    public void complete() {
        begun.values()
                .forEach(open -> open.forEach(
                        begin -> unwanted.set(begin.ordinal, !window.overlaps(begin.startNs, Long.MAX_VALUE))));
        begun.clear();
    }

    /** Whether the next one is wanted. */
    public boolean takeNext() {
        return !unwanted.get(asked++);
    }

    /** Starts asking from the first one again. */
    public void rewind() {
        asked = 0;
    }

    public long unwanted() {
        return unwanted.cardinality();
    }

    long told() {
        return told;
    }

    /** Whether anything told has a time. */
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
