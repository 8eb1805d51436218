package dev.probestream.convert.request;

import org.jspecify.annotations.Nullable;

/**
 * Who speaks on a connection that is no HTTP connection, such as one of a pool to a database: what comes is for whoever wrote
 * last. Once several have written before anything came, only statements whose answers are seen to end tell whose an answer is.
 */
final class PlainTalk {
    private @Nullable Exchange writer;
    /** Whom the handling at hand is for, as far as it shows when it begins: what is written meanwhile is answered later. */
    private @Nullable Exchange expected;

    private boolean hasWritten;
    private boolean isPipelined;
    /** Writes without a handling after them. */
    private int unanswered;

    /** Statements are seen, and so many are not answered. */
    private boolean hasStatements;

    private int openStatements;
    /** Whose statements were answered in this handling; both are meant if {@link #isOfSeveral}. */
    private @Nullable Exchange answered;

    private int answers;
    private boolean isOfSeveral;

    /** Bytes were written; {@code by} null = by nobody that is known. */
    void wrote(@Nullable Exchange by) {
        isPipelined |= unanswered > 0 && by != writer;
        unanswered++;
        writer = by;
        hasWritten = true;
    }

    /** A statement was written. */
    void asked(@Nullable Exchange by) {
        isPipelined |= openStatements > 0 && by != writer;
        hasStatements = true;
        openStatements++;
        writer = by;
        hasWritten = true;
    }

    /** The last byte of its answer was read. */
    void answered(@Nullable Exchange by) {
        openStatements--;
        isOfSeveral |= answers > 0 && answered != by;
        answered = by;
        answers++;
    }

    /** The loop begins to handle the connection. */
    void beginHandling() {
        unanswered = Math.max(0, unanswered - 1);
        expected = isPipelined ? null : writer;
        answered = null;
        answers = 0;
        isOfSeveral = false;
    }

    boolean hasWritten() {
        return hasWritten;
    }

    /** Whom the handling at hand is for; null = unknown. */
    @Nullable
    Exchange root() {
        if (hasStatements && answers > 0) {
            return isOfSeveral ? null : answered;
        }
        return expected;
    }
}
