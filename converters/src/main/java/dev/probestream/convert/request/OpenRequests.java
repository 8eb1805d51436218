package dev.probestream.convert.request;

import org.jspecify.annotations.Nullable;

/** What one thread serves at the moment: who may wait for a connection of a pool that another one returns. */
final class OpenRequests {
    /** Requests of which nothing was answered yet. */
    private int unanswered;

    /** Statements that are not answered and whose owner is not known. */
    private int unownedStatements;

    void begin() {
        unanswered++;
    }

    /** The first byte of an answer was written, or the request is over without one. */
    void end() {
        unanswered--;
    }

    void beginUnownedStatement() {
        unownedStatements++;
    }

    void endUnownedStatement() {
        unownedStatements--;
    }

    /** Whether the thread works for at most one request, so that nothing it does can be another one's. */
    boolean isAtMostOne() {
        return unanswered <= 1 && unownedStatements == 0;
    }

    /** Whether it is for this request, if it is for one: not if this one is answered, and another one is not. */
    boolean isOnly(@Nullable Exchange request) {
        return isAtMostOne() && (unanswered == 0 || request == null || request.open == this);
    }
}
