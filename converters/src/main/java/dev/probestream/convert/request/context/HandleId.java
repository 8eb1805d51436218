package dev.probestream.convert.request.context;

/**
 * The async id of a connection's handle. It leads to who made the connection, who need not be who works on it now. The first id
 * of two handlings is the handle's if it is the same.
 */
public final class HandleId {
    private long candidate;
    private boolean isKnown;
    private boolean isNew = true;

    /** The loop begins to handle the connection. */
    public void beginHandling() {
        isNew = true;
    }

    /** JavaScript runs for this id. */
    public void sees(long id) {
        if (isNew && !isKnown && id != 0) {
            isKnown = candidate == id;
            candidate = id;
        }
        isNew &= id == 0;
    }

    /** Whether it is known, so that any other id is not the handle's. */
    public boolean isKnown() {
        return isKnown;
    }

    /** Whether that may be it: it is, or as far as it is not known, it was the first that was seen in this handling, or the one before. */
    public boolean mayBe(long id) {
        return id != 0 && id == candidate;
    }

    /** Whether that is it. */
    public boolean is(long id) {
        return isKnown && id == candidate;
    }
}
