package dev.probestream.collector.internal.protocol.postgres;

import dev.probestream.collector.internal.protocol.Moment;
import dev.probestream.collector.internal.protocol.Statement;
import dev.probestream.collector.internal.protocol.StatementSink;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Whether the answers of a connection are paired with the statements that they answer, where its beginning was not seen or bytes of it
 * were lost. A query that is answered may be one that was sent before: each answer would then be taken for that of the next query.
 *
 * <p>A client that sends a query only when the one before is answered (node-postgres) cannot be misunderstood so. It shows this by
 * {@value #QUERIES} queries in turn, on all of the recording's connections together. Where any connection had two queries under way, a client
 * sends them ahead (postgres.js): then the connection must have been silent {@value #SILENCES} times with every query answered, each time for
 * {@value #SILENCE_NS} ns and twice as long as any answer of the trial took. A client that always has two queries under way, sends one and reads
 * one in turn, and never pauses, is not distinguished from the first kind.
 *
 * <p>Answers are held until that is known. What is held at the end of the recording, or for longer than {@value #HELD_NS} ns, is passed on
 * with its answers if {@value #FEW_QUERIES} queries were in turn and none was sent ahead.
 */
final class PostgresTrial {
    private static final int QUERIES = 24;
    private static final int FEW_QUERIES = 4;
    private static final int SILENCES = 3;
    private static final long SILENCE_NS = 10_000_000;
    private static final long HELD_NS = 10_000_000_000L;
    private static final int MAX_HELD = 256;

    /** What the connections of a recording have shown together. */
    static final class Clients {
        private boolean isAhead;
        /** Queries that were answered before the next one was sent, on connections that are tried. */
        private long queries;

        private final Set<PostgresTrial> holding = new LinkedHashSet<>();

        private void settle(long nowNs) {
            for (PostgresTrial trial : List.copyOf(holding)) {
                if (isAhead || nowNs - trial.held.get(0).at.timestampNs() > HELD_NS) {
                    trial.settle();
                }
            }
        }
    }

    /** A statement and the end of its answer. */
    private record Answered(Statement statement, Moment at) {}

    private final Clients clients;
    private final StatementSink sink;
    private final List<Answered> held = new ArrayList<>();
    private boolean isOver;
    private int silences;
    private long longestNs;
    /** When the last query was answered; -1 = none was. */
    private long readyNs = -1;

    /** @param isOver whether the connection is new, so that there is nothing to try */
    PostgresTrial(Clients clients, StatementSink sink, boolean isOver) {
        this.clients = clients;
        this.sink = sink;
        this.isOver = isOver;
    }

    /** Whether what is known now is enough to pass answers on, if the recording ended here. */
    boolean isTrusted() {
        return isOver || (!clients.isAhead && clients.queries >= FEW_QUERIES);
    }

    /** It is not known any more what is answered. */
    void restart() {
        isOver = false;
        silences = 0;
        longestNs = 0;
        readyNs = -1;
        release(false);
    }

    /** A query is sent before an earlier one is answered. */
    void sentAhead() {
        clients.isAhead = true;
    }

    /** A query is sent. */
    void sent(boolean isAlone, long nowNs) {
        if (!isAlone) {
            sentAhead();
        }
        if (!isOver && isAlone && readyNs >= 0 && nowNs - readyNs >= Math.max(SILENCE_NS, 2 * longestNs)) {
            silences++;
            isOver = silences >= SILENCES;
            if (isOver) {
                release(true);
            }
        }
    }

    /** The server is ready after a query that was sent then. */
    void ready(long sentNs, long nowNs) {
        if (!isOver) {
            longestNs = Math.max(longestNs, nowNs - sentNs);
            readyNs = nowNs;
            clients.queries++;
            if (!clients.isAhead && clients.queries >= QUERIES) {
                isOver = true;
                release(true);
            }
        }
        clients.settle(nowNs);
    }

    /** The answer to a statement has ended. */
    void answered(Statement statement, Moment at) {
        if (isOver) {
            sink.answered(statement, at);
        } else if (clients.isAhead || held.size() == MAX_HELD) {
            sink.unmatched(statement);
        } else {
            held.add(new Answered(statement, at));
            clients.holding.add(this);
        }
    }

    /** Decides of what is held by what is known now. */
    void settle() {
        release(isTrusted());
    }

    private void release(boolean isPaired) {
        for (Answered one : held) {
            if (isPaired) {
                sink.answered(one.statement, one.at);
            } else {
                sink.unmatched(one.statement);
            }
        }
        held.clear();
        clients.holding.remove(this);
    }
}
