package dev.probestream.convert.assemble;

import dev.probestream.schema.EventView;

/**
 * A context switch, put right: the thread that leaves a cpu is the one that the switch before put there. Borrowed:
 * valid for one call.
 *
 * <p>Numbers of a SWITCH event, see {@link dev.probestream.schema.record.EventKind}: 0 prev_tid, 1 prev_pid, 2
 * prev_prio, 3 prev_state, 4 next_tid, 5 next_pid, 6 next_prio; strings: 0 prev_comm, 1 next_comm.
 */
public final class CpuSwitch {
    static final int NUMBERS = 7;
    static final int STRINGS = 2;

    /** Of swapper, the thread of an idle cpu (include/linux/sched/prio.h: DEFAULT_PRIO). */
    private static final int IDLE_PRIO = 120;

    long timestampNs;
    int cpu;
    int prevTid;
    int prevPid;
    int prevPrio;
    long prevState;
    int nextTid;
    int nextPid;
    int nextPrio;
    final Comm prevComm = new Comm();
    final Comm nextComm = new Comm();

    CpuSwitch() {}

    static boolean isWhole(EventView event) {
        return event.numberCount() >= NUMBERS && event.stringCount() >= STRINGS && event.cpu() >= 0;
    }

    static int nextPid(EventView event) {
        return (int) event.number(5);
    }

    void set(EventView event, long timestampNs) {
        this.timestampNs = timestampNs;
        cpu = event.cpu();
        prevTid = (int) event.number(0);
        prevPid = (int) event.number(1);
        prevPrio = (int) event.number(2);
        prevState = TaskState.reported(event.number(3));
        nextTid = (int) event.number(4);
        nextPid = (int) event.number(5);
        nextPrio = (int) event.number(6);
        prevComm.set(event, 0);
        nextComm.set(event, 1);
    }

    /** The cpu is idle afterwards. */
    void setNextIdle() {
        nextTid = 0;
        nextPid = 0;
        nextPrio = IDLE_PRIO;
        nextComm.set("swapper/" + cpu);
    }

    /** The cpu was idle before. */
    void setPrevIdle() {
        prevTid = 0;
        prevPid = 0;
        prevPrio = IDLE_PRIO;
        prevState = TaskState.RUNNING;
        prevComm.set("swapper/" + cpu);
    }

    /** From idle to the thread that leaves in {@code other}, at the same time. */
    void setArrivalOfPrev(CpuSwitch other) {
        timestampNs = other.timestampNs;
        cpu = other.cpu;
        setPrevIdle();
        nextTid = other.prevTid;
        nextPid = other.prevPid;
        nextPrio = other.prevPrio;
        nextComm.set(other.prevComm);
    }

    /** On the trace's clock. */
    public long timestampNs() {
        return timestampNs;
    }

    public int cpu() {
        return cpu;
    }

    /** 0 = the cpu was idle, or nobody knows what ran. */
    public int prevTid() {
        return prevTid;
    }

    public int prevPid() {
        return prevPid;
    }

    public int prevPrio() {
        return prevPrio;
    }

    /** As the sched_switch tracepoint reports it. */
    public long prevState() {
        return prevState;
    }

    /** 0 = the cpu is idle, or nobody knows what runs. */
    public int nextTid() {
        return nextTid;
    }

    public int nextPid() {
        return nextPid;
    }

    public int nextPrio() {
        return nextPrio;
    }

    public Comm prevComm() {
        return prevComm;
    }

    public Comm nextComm() {
        return nextComm;
    }
}
