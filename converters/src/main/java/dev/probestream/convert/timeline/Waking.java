package dev.probestream.convert.timeline;

import dev.probestream.schema.EventView;
import dev.probestream.schema.WakingEvent;

/** A thread was made runnable. Borrowed: valid for one call. */
public final class Waking {
    private long timestampNs;
    private int cpu;
    private int wakerTid;
    private int wokenTid;
    private int prio;
    private int targetCpu;
    private final Comm comm = new Comm();

    public Waking() {}

    public static boolean isWhole(EventView event) {
        return WakingEvent.isComplete(event) && event.cpu() >= 0;
    }

    public void set(EventView event, long timestampNs) {
        this.timestampNs = timestampNs;
        cpu = event.cpu();
        wakerTid = event.tid();
        wokenTid = WakingEvent.tid(event);
        prio = WakingEvent.prio(event);
        targetCpu = WakingEvent.targetCpu(event);
        comm.set(event, WakingEvent.COMM);
    }

    /** On the trace's clock. */
    public long timestampNs() {
        return timestampNs;
    }

    /** Of the waker. */
    public int cpu() {
        return cpu;
    }

    public int wakerTid() {
        return wakerTid;
    }

    public int wokenTid() {
        return wokenTid;
    }

    public int prio() {
        return prio;
    }

    /** -1 = not known. */
    public int targetCpu() {
        return targetCpu;
    }

    /** Of the thread that is woken. */
    public Comm comm() {
        return comm;
    }
}
