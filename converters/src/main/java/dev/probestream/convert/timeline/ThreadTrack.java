package dev.probestream.convert.timeline;

/** A thread of a process. The same tid at another start is another thread. */
public final class ThreadTrack {
    private final int index;
    private final ProcessTrack process;
    private final int tid;
    private final String name;
    private final long startNs;

    ThreadTrack(int index, ProcessTrack process, int tid, String name, long startNs) {
        this.index = index;
        this.process = process;
        this.tid = tid;
        this.name = name;
        this.startNs = startNs;
    }

    /** Counts the threads of all captures from 0. */
    public int index() {
        return index;
    }

    public ProcessTrack process() {
        return process;
    }

    public int tid() {
        return tid;
    }

    public String name() {
        return name;
    }

    /** On the trace's clock; {@link Long#MIN_VALUE} = unknown. */
    public long startNs() {
        return startNs;
    }

    public boolean isMain() {
        return tid == process.pid();
    }
}
