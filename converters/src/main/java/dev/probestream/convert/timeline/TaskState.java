package dev.probestream.convert.timeline;

/** The prev_state of a context switch: bits of include/linux/sched.h, and what the sched_switch tracepoint makes of them. */
public final class TaskState {
    static final long RUNNING = 0;

    private static final long UNINTERRUPTIBLE = 0x0002;
    private static final long REPORT = 0x007f;
    private static final long REPORT_IDLE = 0x0080;

    /** A preempted task, from 4.14 on: TASK_REPORT_MAX. */
    private static final long REPORT_MAX = 0x0100;

    private static final long NOLOAD = 0x0400;
    private static final long IDLE = UNINTERRUPTIBLE | NOLOAD;

    private TaskState() {}

    /**
     * The state as the tracepoint reports it. A raw tracepoint sees the task's own state, whose upper bits mean other
     * things (TASK_NOLOAD, TASK_NEW, TASK_FREEZABLE ...); this is what __trace_sched_switch_state
     * (include/trace/events/sched.h) does with them.
     */
    static long reported(long state) {
        if ((state & ~(REPORT | REPORT_IDLE | REPORT_MAX)) == 0) {
            return state;
        }
        return (state & IDLE) == IDLE ? REPORT_IDLE : state & REPORT;
    }

    public static ThreadState afterSwitch(long reported) {
        if ((reported & (REPORT | REPORT_IDLE)) == 0) {
            return ThreadState.RUNNABLE;
        }
        return (reported & UNINTERRUPTIBLE) != 0 ? ThreadState.UNINTERRUPTIBLE : ThreadState.SLEEPING;
    }
}
