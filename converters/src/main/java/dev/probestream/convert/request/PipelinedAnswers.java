package dev.probestream.convert.request;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Answers to requests that were written one behind the other, and that no parser of Node reads. Which answers came is known
 * from the readings that begin with one; whose they are, once there are as many of them as requests. If one reading brought several
 * answers there are fewer, and no request of the connection has a status from then on.
 */
final class PipelinedAnswers {
    /** Requests whose answers are not known yet. */
    private static final int LIMIT = 1 << 6;

    private static final class Answer {
        final int status;
        final long headNs;
        long lastNs;

        Answer(int status, long headNs) {
            this.status = status;
            this.headNs = headNs;
            this.lastNs = headNs;
        }
    }

    private final Deque<Answer> answers = new ArrayDeque<>();
    private long lastReadNs = -1;
    private boolean isUnordered;

    /** Something was read: an answer begins (its status), or goes on (0). */
    void read(int status, long nowNs) {
        lastReadNs = nowNs;
        if (status != 0 && answers.size() < LIMIT) {
            answers.add(new Answer(status, nowNs));
        } else if (!answers.isEmpty()) {
            answers.getLast().lastNs = nowNs;
        }
    }

    /** If all requests are answered, each has its answer, and true is returned. */
    boolean isResolved(Connection connection, Exchanges exchanges, long nowNs) throws IOException {
        if (connection.pending.size() >= LIMIT) {
            giveUp(connection, exchanges, nowNs);
        }
        if (isUnordered || answers.size() != connection.pending.size()) {
            return false;
        }
        for (Exchange next = connection.pending.poll(); next != null; next = connection.pending.poll()) {
            Answer answer = answers.remove();
            next.status = answer.status;
            next.headNs = answer.headNs;
            over(next, answer.lastNs, exchanges, nowNs);
        }
        return true;
    }

    /** Nothing more will be read. */
    void end(Connection connection, Exchanges exchanges, long nowNs) throws IOException {
        if (!isResolved(connection, exchanges, nowNs)) {
            giveUp(connection, exchanges, nowNs);
        }
    }

    /** What was written before the last reading is taken for answered. */
    private void giveUp(Connection connection, Exchanges exchanges, long nowNs) throws IOException {
        isUnordered = true;
        answers.clear();
        for (Exchange next = connection.pending.peek();
                next != null && next.startNs < lastReadNs;
                next = connection.pending.peek()) {
            connection.pending.remove();
            over(next, lastReadNs, exchanges, nowNs);
        }
    }

    private static void over(Exchange exchange, long endNs, Exchanges exchanges, long nowNs) throws IOException {
        exchange.receivedBytes = -1;
        exchange.endsAt(endNs);
        exchanges.complete(exchange, nowNs);
    }
}
