package dev.probestream.convert.request.context;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The owners of the async ids of one thread. Node counts them; the begin of a callback of the loop shows how many there
 * were, so that all that were created until the next callback begins are those of the first one's owner, as long as it had only
 * one. In some callbacks only what promises continue is surely the owner's; what these create was triggered by no resource. Stored are ranges of ids, at most {@value #LIMIT}, of which the oldest leave first.
 *
 * @param <T> an owner
 */
public final class AsyncIds<T> {
    static final int LIMIT = 1 << 15;

    /** Single ids whose owner was found otherwise, null = nobody's; an id that falls on the place of another takes it. */
    private static final int LEARNED = 1 << 12;

    /** Of each range the last id before it, its last id, when it was complete, its owner, and how far that is sure; a ring, in the order of the ids. */
    private long[] before = new long[64];

    private long[] lasts = new long[64];
    private long[] untilNs = new long[64];
    private @Nullable Object[] owners = new Object[64];
    private boolean[] areOfPromises = new boolean[64];
    private int first;
    private int size;

    private long[] learnedIds = new long[0];
    private @Nullable Object[] learnedOwners = new Object[0];

    /** How many ids there were when the callback began that is running; -1 = none was seen to begin. */
    private long begunAt = -1;

    private long begunNs;

    /** The same of the first one that was seen. */
    private long firstBegunAt = -1;

    /** The ids that are given in the running callback; null = nobody has asked for them. */
    private @Nullable IdRange running;

    /** The id of that callback, as far as hits in it have shown it; 0 = not yet. */
    private long runningId;

    private @Nullable T owner;
    private boolean isMixed;
    private boolean isOfPromises;
    private boolean isTrackLost;

    /**
     * A callback begins.
     *
     * @param counter how many ids had been given
     */
    public void begin(long counter, long nowNs) {
        if (counter < begunAt) {
            forget(); // the thread runs another environment
        } else if (begunAt >= 0 && counter > begunAt && owner != null && !isMixed) {
            add(begunAt, counter, nowNs, owner);
        }
        if (running != null) {
            running.end(isTrackLost ? begunAt : counter);
            running = null;
        }
        begunNs = nowNs;
        isTrackLost = false;
        firstBegunAt = firstBegunAt < 0 ? counter : firstBegunAt;
        begunAt = counter;
        runningId = 0;
        owner = null;
        isMixed = false;
        isOfPromises = false;
    }

    /** When the callback began that is running, as far as can be seen. */
    public long begunNs() {
        return begunNs;
    }

    /** Since that callback began others may have begun that were not seen: who has created ids since then is not known. */
    public void loseTrack() {
        isMixed = true;
        isTrackLost = true;
    }

    /** Whether in the callback that is running only what promises continue is its owner's, as far as can be seen now. */
    public void trustPromisesOnly(boolean isSo) {
        isOfPromises = isSo;
    }

    /** The callback that is running is this owner's, as far as can be seen now; null = not known, or none. */
    public void observe(@Nullable T of) {
        if (owner == null) {
            owner = of;
        } else if (owner != of) {
            isMixed = true;
        }
    }

    /** The callback that is running has this id. */
    public void runs(long id) {
        runningId = id;
    }

    /**
     * The callback that is running works for another one than who is observed: what it creates may be that one's, and so may be what
     * its id triggers, if that is not the other one's id.
     *
     * @param other null = unknown
     */
    public void mix(@Nullable T other) {
        isMixed = true;
        if (runningId > 0 && (other == null || ownerOf(runningId, false) != other)) {
            put(runningId, null);
        }
    }

    /** The id is known to be of this owner, whatever created it, unless its callback has worked for others, too. */
    public void learn(long id, T of) {
        if (!isMixed || id != runningId) {
            put(id, of);
        }
    }

    private void put(long id, @Nullable T of) {
        if (learnedIds.length == 0) {
            learnedIds = new long[LEARNED];
            learnedOwners = new Object[LEARNED];
        }
        int place = (int) (id & LEARNED - 1);
        learnedIds[place] = id;
        learnedOwners[place] = of;
    }

    /**
     * The owner that the id was created for; null = unknown.
     *
     * @param isOfPromise whether a continuation of a promise created it
     */
    public @Nullable T ownerOf(long id, boolean isOfPromise) {
        int place = (int) (id & LEARNED - 1);
        if (id <= 0) {
            return null;
        }
        if (learnedIds.length > 0 && learnedIds[place] == id) {
            return cast(learnedOwners[place]);
        }
        if (begunAt >= 0 && id > begunAt) {
            return isMixed || (isOfPromises && !isOfPromise) ? null : owner;
        }
        int range = find(id);
        return range < 0 || (areOfPromises[range] && !isOfPromise) ? null : cast(owners[range]);
    }

    /** Whether the id was created while it was recorded, so that it is known who has not created it. */
    public boolean isNew(long id) {
        return firstBegunAt >= 0 && id > firstBegunAt;
    }

    /** The ids that are created in the callback that is running; null = it was not seen to begin. */
    public @Nullable IdRange running() {
        if (running == null && begunAt >= 0) {
            running = new IdRange(begunAt);
        }
        return running;
    }

    /** Until when the id was created, at the latest; {@code nowNs}: in the callback that is running; -1 = unknown. */
    public long createdNs(long id, long nowNs) {
        if (begunAt >= 0 && id > begunAt) {
            return nowNs;
        }
        int range = find(id);
        return range < 0 ? -1 : untilNs[range];
    }

    /** The place of the range with that id; -1 = none. */
    private int find(long id) {
        int low = 0;
        int high = size;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (lasts[at(middle)] < id) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low == size || before[at(low)] >= id ? -1 : at(low);
    }

    private void add(long beforeFirst, long last, long nowNs, T of) {
        if (size == lasts.length && size < LIMIT) {
            grow();
        }
        if (size == LIMIT) {
            owners[first] = null;
            first = at(1);
            size--;
        }
        int place = at(size++);
        before[place] = beforeFirst;
        lasts[place] = last;
        untilNs[place] = nowNs;
        owners[place] = of;
        areOfPromises[place] = isOfPromises;
    }

    /** The ring is full, so it is turned to begin at 0. */
    private void grow() {
        long[] newBefore = new long[2 * size];
        long[] newLasts = new long[2 * size];
        @Nullable Object[] newOwners = new Object[2 * size];
        long[] newUntilNs = new long[2 * size];
        boolean[] newAreOfPromises = new boolean[2 * size];
        for (int i = 0; i < size; i++) {
            newAreOfPromises[i] = areOfPromises[at(i)];
            newBefore[i] = before[at(i)];
            newLasts[i] = lasts[at(i)];
            newUntilNs[i] = untilNs[at(i)];
            newOwners[i] = owners[at(i)];
        }
        before = newBefore;
        lasts = newLasts;
        untilNs = newUntilNs;
        owners = newOwners;
        areOfPromises = newAreOfPromises;
        first = 0;
    }

    private int at(int index) {
        return (first + index) & lasts.length - 1;
    }

    private void forget() {
        Arrays.fill(owners, null);
        first = 0;
        size = 0;
        firstBegunAt = -1;
        learnedIds = new long[0];
        learnedOwners = new Object[0];
    }

    @SuppressWarnings("unchecked") // only add() and learn() fill the tables, with a T
    private @Nullable T cast(@Nullable Object stored) {
        return (T) stored;
    }
}
