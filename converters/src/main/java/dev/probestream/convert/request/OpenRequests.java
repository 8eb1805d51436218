package dev.probestream.convert.request;

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
}
