package dev.probestream.convert.timeline;

import dev.probestream.schema.EventView;
import dev.probestream.schema.SwitchEvent;

/**
 * A context switch, put right: the thread that leaves a cpu is the one that the switch before put there. Borrowed:
 * valid for one call.
 */
public final class CpuSwitch {
    /** Of swapper, the thread of an idle cpu (include/linux/sched/prio.h: DEFAULT_PRIO). */
    private static final int IDLE_PRIO = 120;

    private long timestampNs;
    private int cpu;
    private int prevTid;
    private int prevPid;
    private int prevPrio;
    private long prevState;
    private int nextTid;
    private int nextPid;
    private int nextPrio;
    private final Comm prevComm = new Comm();
    private final Comm nextComm = new Comm();

    public CpuSwitch() {}

    public static boolean isWhole(EventView event) {
        return SwitchEvent.isComplete(event) && event.cpu() >= 0;
    }

    public void set(EventView event, long timestampNs) {
        this.timestampNs = timestampNs;
        cpu = event.cpu();
        prevTid = SwitchEvent.prevTid(event);
        prevPid = SwitchEvent.prevPid(event);
        prevPrio = SwitchEvent.prevPrio(event);
        prevState = TaskState.reported(SwitchEvent.prevState(event));
        nextTid = SwitchEvent.nextTid(event);
        nextPid = SwitchEvent.nextPid(event);
        nextPrio = SwitchEvent.nextPrio(event);
        prevComm.set(event, SwitchEvent.PREV_COMM);
        nextComm.set(event, SwitchEvent.NEXT_COMM);
    }

    /** The cpu is idle afterwards. */
    public void setNextIdle() {
        nextTid = 0;
        nextPid = 0;
        nextPrio = IDLE_PRIO;
        nextComm.set("swapper/" + cpu);
    }

    /** The cpu was idle before. */
    public void setPrevIdle() {
        prevTid = 0;
        prevPid = 0;
        prevPrio = IDLE_PRIO;
        prevState = TaskState.RUNNING;
        prevComm.set("swapper/" + cpu);
    }

    /** From idle to the thread that leaves in {@code other}, at the same time. */
    public void setArrivalOfPrev(CpuSwitch other) {
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

    /** 0 = the cpu was idle, or it is unknown what ran. */
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

    /** 0 = the cpu is idle, or it is unknown what runs. */
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
