package dev.probestream.convert.request.context;

/** The async ids that are given in one callback: those behind one, up to how many there are when the next one begins. */
public final class IdRange {
    private final long after;
    private long last = Long.MAX_VALUE;

    IdRange(long after) {
        this.after = after;
    }

    /** The next callback begins. */
    void end(long counter) {
        last = counter;
    }

    public boolean contains(long id) {
        return id > after && id <= last;
    }
}
