package dev.probestream.convert.request;

import dev.probestream.convert.request.plan.LostHits;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who uses a connection that is no HTTP connection, such as one of a pool to a database. What comes is for whoever wrote last. Once
 * several have written before anything came, only statements whose answers are seen to end show whose an answer is.
 *
 * <p>A pool hands a connection on inside the code of the request that returns it: what is written then looks like that request's, and is
 * another one's, which waited. See {@link #mayBeHandedOn}.
 */
final class PlainTalk {
    /** Operations and replies that end a transaction. */
    private static final Set<String> ENDS = Set.of("COMMIT", "ROLLBACK", "END", "ABORT");

    private @Nullable Exchange writer;
    /** When something was written, or asked, last. */
    private long writtenNs;
    /** The request of the current handling, if known at its begin: what is written meanwhile is answered later. */
    private @Nullable Exchange expected;

    /** When that one has written; whoever wrote later was not seen if hits were lost since. */
    private long expectedNs;

    private boolean hasWritten;
    /** Several wrote before anything came. */
    private boolean isPipelined;
    /** Statements are written while others are not answered: it is not lent to one request at a time. */
    private boolean isShared;
    /** Writes without a handling after them. */
    private int unanswered;

    /** Statements are seen, and so many are not answered. */
    private boolean hasStatements;

    private int openStatements;
    private long askedNs = -1;
    /** A statement whose answer is not known was written since the connection was handled last. */
    private boolean isUnmatchedAsked;
    /** A transaction was begun and is not ended: no pool hands the connection on. */
    private boolean isInTransaction;

    /** When it was begun. */
    private long begunNs;

    private @Nullable Exchange holder;
    /** Whose statements were answered in this handling; both are meant if {@link #isOfSeveral}. */
    private @Nullable Exchange answered;

    private int answers;
    private boolean isOfSeveral;

    /** Whose statement was answered last, in this handling or before. */
    private @Nullable Exchange lastAnswered;

    /** When it was handled last; -1 = never. */
    private long handledNs = -1;
    /** In this handling something was written for an unknown one, who may go on in it. */
    private boolean isHandedOn;

    /** Bytes were written; {@code by} null = by no known request. */
    void wrote(@Nullable Exchange by, long nowNs) {
        isPipelined |= unanswered > 0 && by != writer;
        isHandedOn |= by == null;
        unanswered++;
        writer = by;
        writtenNs = nowNs;
        hasWritten = true;
    }

    /**
     * A statement was written.
     *
     * @param operation its first word
     * @param reply the kind of its answer; PostgreSQL names the command here, also of a statement that was prepared before
     */
    void asked(@Nullable Exchange by, String operation, String reply, long nowNs) {
        isPipelined |= openStatements > 0 && by != writer;
        isShared |= openStatements > 0 && nowNs != askedNs;
        isHandedOn |= by == null;
        hasStatements = true;
        openStatements++;
        writer = by;
        writtenNs = nowNs;
        hasWritten = true;
        askedNs = nowNs;
        boolean isBegin = reply.equals("BEGIN") || operation.equals("BEGIN") || operation.equals("START");
        // What was prepared before the recording began may be a COMMIT, unless its answer names another command.
        boolean mayBeEnd = operation.equals("EXECUTE") && (reply.isEmpty() || reply.equals("OK"));
        if (isBegin || mayBeEnd || ENDS.contains(reply) || ENDS.contains(operation)) {
            isInTransaction = isBegin;
            begunNs = nowNs;
            holder = isBegin ? by : null;
        } else if (isInTransaction && holder == null) {
            holder = by;
        }
    }

    /**
     * A statement was written whose answer is not known. Where two are written in turn before anything is read, the connection is not lent to one
     * request at a time.
     */
    void askedUnmatched(long nowNs) {
        isShared |= isUnmatchedAsked && nowNs != askedNs;
        isUnmatchedAsked = true;
        askedNs = nowNs;
    }

    /**
     * Whose transaction it is that was begun and not ended; null = there is none, or its owner is not known, or has been answered. Where hits were lost
     * since the begin, its end may be among them.
     */
    @Nullable
    Exchange holder(LostHits lost, long nowNs) {
        if (isInTransaction && lost.mayHideTalk(begunNs, nowNs)) {
            isInTransaction = false;
            holder = null;
        }
        if (holder != null && holder.endNs() >= 0) {
            isInTransaction = false;
            holder = null;
        }
        return holder;
    }

    /** The last byte of its answer was read. */
    void answered(@Nullable Exchange by) {
        openStatements--;
        isOfSeveral |= answers > 0 && answered != by;
        answered = by;
        lastAnswered = by;
        answers++;
    }

    /** The loop begins to handle the connection. */
    void beginHandling(long nowNs) {
        unanswered = Math.max(0, unanswered - 1);
        expected = isPipelined ? null : writer;
        expectedNs = writtenNs;
        answered = null;
        answers = 0;
        isOfSeveral = false;
        isHandedOn = false;
        isUnmatchedAsked = false;
        handledNs = nowNs;
    }

    boolean hasWritten() {
        return hasWritten;
    }

    /** Whether one request at a time uses the connection, and returns it to those who wait for it. */
    boolean isLent() {
        return !isShared;
    }

    /**
     * Whether what this request writes to it may be another one's, to which it just returned the connection. It has none to return if another one
     * used the connection last, or if the connection has been idle since before the request began.
     */
    boolean mayBeHandedOn(Exchange by, LostHits lost, long nowNs) {
        Exchange user = hasStatements ? lastAnswered : expected;
        boolean isAnothers = user != null && user != by;
        boolean isSeenToUse = !isAnothers && by.startNs <= handledNs;
        return isLent() && !isInTransaction && (isSeenToUse || lost.mayHideTalk(by.startNs, nowNs));
    }

    /** The request that the current handling is for; null = unknown. */
    @Nullable
    Exchange root(LostHits lost, long nowNs) {
        if ((isHandedOn && isLent()) || lost.mayHideTalk(expectedNs, nowNs)) {
            return null;
        }
        if (hasStatements && answers > 0) {
            return isOfSeveral ? null : answered;
        }
        return expected;
    }
}
