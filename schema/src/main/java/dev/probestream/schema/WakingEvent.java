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
    /** The names of the numbers, in their order. */
    public static final List<String> NUMBERS = List.of("tid", "pid", "prio", "target_cpu");
    /** The names of the strings, in their order. */
    public static final List<String> STRINGS = List.of("comm");
    /** The index of the string. */
    public static final int COMM = 0;

    private WakingEvent() {}

    /**
     * {@return whether all numbers are there; another tool may have written fewer}
     *
     * @param event the event
     */
    public static boolean hasNumbers(EventView event) {
        return event.numberCount() >= NUMBERS.size();
    }

    /**
     * {@return whether all numbers and strings are there}
     *
     * @param event the event
     */
    public static boolean isComplete(EventView event) {
        return hasNumbers(event) && event.stringCount() >= STRINGS.size();
    }

    /**
     * {@return the thread that is woken}
     *
     * @param event the event
     */
    public static int tid(EventView event) {
        return (int) event.number(0);
    }

    /**
     * {@return its process}
     *
     * @param event the event
     */
    public static int pid(EventView event) {
        return (int) event.number(1);
    }

    /**
     * {@return its priority, as in task_struct.prio}
     *
     * @param event the event
     */
    public static int prio(EventView event) {
        return (int) event.number(2);
    }

    /**
     * {@return the CPU that it will run on; -1 = not known}
     *
     * @param event the event
     */
    public static int targetCpu(EventView event) {
        return (int) event.number(3);
    }
}
