package dev.probestream.schema;

import dev.probestream.schema.record.EventKind;
import java.util.List;

/**
 * The arguments of an event of kind {@link EventKind#SWITCH}, a context switch: their order, and how to read and write
 * them.
 *
 * <pre>
 * number  0  prev_tid     string  0  prev_comm
 *         1  prev_pid             1  next_comm
 *         2  prev_prio
 *         3  prev_state
 *         4  next_tid
 *         5  next_pid
 *         6  next_prio
 * </pre>
 *
 * The readers of numbers require {@link #hasNumbers}. The cpu, and the ids of the thread that leaves it, are also in the
 * event itself.
 */
public final class SwitchEvent {
    public static final List<String> NUMBERS =
            List.of("prev_tid", "prev_pid", "prev_prio", "prev_state", "next_tid", "next_pid", "next_prio");
    public static final List<String> STRINGS = List.of("prev_comm", "next_comm");
    /** The indexes of the strings. */
    public static final int PREV_COMM = 0;

    public static final int NEXT_COMM = 1;

    private SwitchEvent() {}

    /** Whether all numbers are there; another tool may have written fewer. */
    public static boolean hasNumbers(EventView event) {
        return event.numberCount() >= NUMBERS.size();
    }

    /** Whether all numbers and strings are there. */
    public static boolean isComplete(EventView event) {
        return hasNumbers(event) && event.stringCount() >= STRINGS.size();
    }

    public static int prevTid(EventView event) {
        return (int) event.number(0);
    }

    public static int prevPid(EventView event) {
        return (int) event.number(1);
    }

    public static int prevPrio(EventView event) {
        return (int) event.number(2);
    }

    /** Bits of include/linux/sched.h. */
    public static long prevState(EventView event) {
        return event.number(3);
    }

    public static int nextTid(EventView event) {
        return (int) event.number(4);
    }

    public static int nextPid(EventView event) {
        return (int) event.number(5);
    }

    public static int nextPrio(EventView event) {
        return (int) event.number(6);
    }

    /** Writes all numbers of an event that was begun; the strings follow. */
    public static void encodeNumbers(
            EventEncoder encoder,
            int prevTid,
            int prevPid,
            int prevPrio,
            long prevState,
            int nextTid,
            int nextPid,
            int nextPrio) {
        encoder.beginNumbers(NUMBERS.size());
        encoder.number(prevTid);
        encoder.number(prevPid);
        encoder.number(prevPrio);
        encoder.number(prevState);
        encoder.number(nextTid);
        encoder.number(nextPid);
        encoder.number(nextPrio);
    }
}
