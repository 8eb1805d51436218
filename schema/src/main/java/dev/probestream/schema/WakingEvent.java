package dev.probestream.schema;

import dev.probestream.schema.record.EventKind;
import java.util.List;

/**
 * The arguments of an event of kind {@link EventKind#WAKING}, a thread that was made runnable: their order, and how to
 * read them.
 *
 * <pre>
 * number  0  tid          string  0  comm
 *         1  pid
 *         2  prio
 *         3  target_cpu
 * </pre>
 *
 * All are those of the woken thread; the event's own cpu, pid and tid are the waker's. The readers of numbers require
 * {@link #hasNumbers}.
 */
public final class WakingEvent {
    public static final List<String> NUMBERS = List.of("tid", "pid", "prio", "target_cpu");
    public static final List<String> STRINGS = List.of("comm");
    /** The index of the string. */
    public static final int COMM = 0;

    private WakingEvent() {}

    /** Whether all numbers are there; another tool may have written fewer. */
    public static boolean hasNumbers(EventView event) {
        return event.numberCount() >= NUMBERS.size();
    }

    /** Whether all numbers and strings are there. */
    public static boolean isComplete(EventView event) {
        return hasNumbers(event) && event.stringCount() >= STRINGS.size();
    }

    public static int tid(EventView event) {
        return (int) event.number(0);
    }

    public static int pid(EventView event) {
        return (int) event.number(1);
    }

    public static int prio(EventView event) {
        return (int) event.number(2);
    }

    /** -1 = not known. */
    public static int targetCpu(EventView event) {
        return (int) event.number(3);
    }
}
