package dev.probestream.collector.event;

/**
 * Is told of recorded processes and their threads as they come, change and go, on the thread that reads the ring and in
 * the order of the ring. Times are CLOCK_MONOTONIC nanoseconds, ids those of the initial pid namespace.
 */
public interface TaskLifecycleListener {
    /**
     * A thread was made, or (when its tgid is not the parent's) a process that is recorded, too.
     *
     * @param comm of the child: for now that of its parent
     */
    void forked(long timestampNs, int parentTgid, int parentTid, int tgid, int tid, String comm);

    /** A process runs another program now; only its main thread is left. */
    void executed(long timestampNs, int tgid, String comm);

    /**
     * A thread ended.
     *
     * @param isProcessEnd whether it was the last of its process. Then its id should be taken out of {@code
     *     MapNames.TARGETS}: another process may get it
     * @param waitStatus as wait(2) gives it: exit code in bits 8 to 15, killing signal in bits 0 to 6
     */
    void exited(long timestampNs, int tgid, int tid, boolean isProcessEnd, int waitStatus);

    /** A thread has another name now. */
    void renamed(long timestampNs, int tgid, int tid, String comm);
}
