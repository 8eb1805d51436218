package dev.probestream.collector.internal.event;

/**
 * Receives the lifecycle events of recorded processes and their threads, on the thread that reads the ring and in the
 * order of the ring. Times are CLOCK_MONOTONIC nanoseconds; ids are those of the initial pid namespace.
 */
public interface TaskLifecycleListener {
    /**
     * A thread was created, or, if its tgid differs from the parent's, a process, which is recorded too.
     *
     * @param comm name of the child; at this point still that of its parent
     */
    void forked(long timestampNs, int parentTgid, int parentTid, int tgid, int tid, String comm);

    /**
     * A process executed another program; only its main thread is left.
     *
     * @param userId its real user afterwards
     */
    void executed(long timestampNs, int tgid, int userId, String comm);

    /**
     * A thread ended.
     *
     * @param isProcessEnd whether it was the last thread of its process. If so, remove the process id from {@code
     *     MapNames.TARGETS}, because another process may get it
     * @param waitStatus as in wait(2): exit code in bits 8 to 15, terminating signal in bits 0 to 6
     */
    void exited(long timestampNs, int tgid, int tid, boolean isProcessEnd, int waitStatus);

    /** A thread changed its name. */
    void renamed(long timestampNs, int tgid, int tid, String comm);
}
