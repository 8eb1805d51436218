package dev.probestream.convert.assemble;

import dev.probestream.schema.EventView;

/**
 * A thread was made runnable. Borrowed: valid for one call.
 *
 * <p>Numbers of a WAKING event, see {@link dev.probestream.schema.record.EventKind}: 0 tid, 1 pid, 2 prio, 3
 * target_cpu; strings: 0 comm.
 */
public final class Waking {
    static final int NUMBERS = 4;

    private long timestampNs;
    private int cpu;
    private int wakerTid;
    private int wokenTid;
    private int wokenPid;
    private int prio;
    private int targetCpu;
    private final Comm comm = new Comm();

    Waking() {}

    static boolean isWhole(EventView event) {
        return event.numberCount() >= NUMBERS && event.stringCount() >= 1 && event.cpu() >= 0;
    }

    static int wokenPid(EventView event) {
        return (int) event.number(1);
    }

    void set(EventView event, long timestampNs) {
        this.timestampNs = timestampNs;
        cpu = event.cpu();
        wakerTid = event.tid();
        wokenTid = (int) event.number(0);
        wokenPid = (int) event.number(1);
        prio = (int) event.number(2);
        targetCpu = (int) event.number(3);
        comm.set(event, 0);
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

    int wokenPid() {
        return wokenPid;
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
