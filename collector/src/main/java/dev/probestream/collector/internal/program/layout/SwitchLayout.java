package dev.probestream.collector.internal.program.layout;

/**
 * What a sample of {@link RecordType#SWITCH} holds behind its header, whose ids are those of the thread that leaves the
 * cpu:
 *
 * <pre>
 * offset  size  field
 *     40     8  previousState      as in task_struct: bits of linux/sched.h
 *     48     4  previousExitState  s32, only for a thread that is ending, else 0
 *     52     4  preempted          not 0 = was taken off the cpu although it could go on
 *     56     4  previousPriority   s32, 120 = nice 0
 *     60     4  nextPriority       s32
 *     64     4  nextTid
 *     68     4  nextTgid
 *     72    16  previousComm
 *     88    16  nextComm
 * </pre>
 *
 * and, if asked for, the stacks of the thread that leaves, when it is a recorded one and leaves to wait.
 */
public final class SwitchLayout {
    public static final int PREVIOUS_STATE_OFFSET = 40;
    public static final int PREVIOUS_EXIT_STATE_OFFSET = 48;
    public static final int PREEMPTED_OFFSET = 52;
    public static final int PREVIOUS_PRIORITY_OFFSET = 56;
    public static final int NEXT_PRIORITY_OFFSET = 60;
    public static final int NEXT_TID_OFFSET = 64;
    public static final int NEXT_TGID_OFFSET = 68;
    public static final int PREVIOUS_COMM_OFFSET = 72;
    public static final int NEXT_COMM_OFFSET = 88;
    /** TASK_COMM_LEN of linux/sched.h: ended by the first NUL. */
    public static final int COMM_SIZE_BYTES = 16;

    public static final int STACKS_OFFSET = 104;

    private SwitchLayout() {}
}
