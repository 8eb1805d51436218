package dev.probestream.collector.internal.event;

/**
 * The state in which a thread left the CPU, encoded as in the kernel's tracepoint sched_switch, which is what viewers
 * expect (include/trace/events/sched.h, {@code __trace_sched_switch_state}; include/linux/sched.h).
 */
final class TaskStateBits {
    // linux/sched.h
    private static final int TASK_UNINTERRUPTIBLE = 0x2;
    private static final int TASK_REPORT = 0x7f;
    private static final int TASK_NOLOAD = 0x400;
    private static final int TASK_IDLE = TASK_UNINTERRUPTIBLE | TASK_NOLOAD;
    private static final int TASK_RTLOCK_WAIT = 0x1000;
    private static final int TASK_FROZEN = 0x8000;

    /** The thread has ended; EXIT_ZOMBIE (0x20) if its parent has not waited for it yet. */
    static final int EXIT_DEAD = 0x10;

    /** Printed as I. */
    static final int REPORT_IDLE = 0x80;

    /** Printed as R+. */
    static final int REPORT_PREEMPTED = 0x100;

    private TaskStateBits() {}

    /**
     * Returns one bit for the thread's state; 0 for a runnable thread.
     *
     * @param state the state field of task_struct
     * @param exitState the exit_state field of task_struct; 0 for a thread that is not exiting
     */
    static int reported(boolean isPreempted, long state, int exitState) {
        if (isPreempted) {
            return REPORT_PREEMPTED;
        }
        if ((state & TASK_IDLE) == TASK_IDLE) {
            return REPORT_IDLE;
        }
        if ((state & (TASK_RTLOCK_WAIT | TASK_FROZEN)) != 0) {
            return TASK_UNINTERRUPTIBLE;
        }
        int reported = (int) (state | exitState) & TASK_REPORT;
        return Integer.highestOneBit(reported);
    }
}
