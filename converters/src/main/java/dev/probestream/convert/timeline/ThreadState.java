package dev.probestream.convert.timeline;

/** What a thread was doing between two context switches. */
public enum ThreadState {
    /** On a cpu. */
    RUNNING("running"),
    /** Ready, but not on a cpu. */
    RUNNABLE("runnable"),
    /** Waiting for something that a signal can interrupt. */
    SLEEPING("sleeping"),
    /** Waiting for something that a signal cannot interrupt, mostly a disk. */
    UNINTERRUPTIBLE("uninterruptible sleep");

    private final String label;

    ThreadState(String label) {
        this.label = label;
    }

    /** What a person calls it. */
    public String label() {
        return label;
    }
}
