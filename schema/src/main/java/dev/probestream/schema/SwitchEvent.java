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
    /** The names of the numbers, in their order. */
    public static final List<String> NUMBERS =
            List.of("prev_tid", "prev_pid", "prev_prio", "prev_state", "next_tid", "next_pid", "next_prio");
    /** The names of the strings, in their order. */
    public static final List<String> STRINGS = List.of("prev_comm", "next_comm");
    /** The indexes of the strings. */
    public static final int PREV_COMM = 0;

    /** The index of next_comm among the strings. */
    public static final int NEXT_COMM = 1;

    private SwitchEvent() {}

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
     * {@return the thread that leaves the CPU}
     *
     * @param event the event
     */
    public static int prevTid(EventView event) {
        return (int) event.number(0);
    }

    /**
     * {@return its process}
     *
     * @param event the event
     */
    public static int prevPid(EventView event) {
        return (int) event.number(1);
    }

    /**
     * {@return its priority, as in task_struct.prio}
     *
     * @param event the event
     */
    public static int prevPrio(EventView event) {
        return (int) event.number(2);
    }

    /**
     * {@return its state, bits of include/linux/sched.h}
     *
     * @param event the event
     */
    public static long prevState(EventView event) {
        return event.number(3);
    }

    /**
     * {@return the thread that takes the CPU}
     *
     * @param event the event
     */
    public static int nextTid(EventView event) {
        return (int) event.number(4);
    }

    /**
     * {@return its process}
     *
     * @param event the event
     */
    public static int nextPid(EventView event) {
        return (int) event.number(5);
    }

    /**
     * {@return its priority, as in task_struct.prio}
     *
     * @param event the event
     */
    public static int nextPrio(EventView event) {
        return (int) event.number(6);
    }

    /**
     * Writes all numbers of an event that was begun; the strings follow.
     *
     * @param encoder of an event that was begun
     * @param prevTid the thread that leaves the CPU
     * @param prevPid its process
     * @param prevPrio its priority
     * @param prevState its state
     * @param nextTid the thread that takes the CPU
     * @param nextPid its process
     * @param nextPrio its priority
     */
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
