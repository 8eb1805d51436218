package dev.probestream.collector.internal.protocol.postgres;

/**
 * Whether the answers of a connection are paired with the statements that they answer, where its beginning was not seen or bytes of it
 * were lost. A query that is answered may be one that was sent before: each answer would then be taken for that of the next query.
 *
 * <p>A client that sends a query only when the one before is answered (node-postgres) shows that by {@value #QUERIES} queries in turn. Where any
 * connection had two queries under way, a client sends them ahead (postgres.js): then the connection must have been silent {@value #SILENCES} times
 * with every query answered, each time for longer than {@value #SILENCE_NS} ns and twice as long as any answer of the trial took.
 */
final class PostgresTrial {
    private static final int QUERIES = 8;
    private static final int SILENCES = 3;
    private static final long SILENCE_NS = 10_000_000;

    /** What the connections of a recording have shown together. */
    static final class Clients {
        private boolean isAhead;
    }

    private final Clients clients;
    private boolean isOver;
    private int queries;
    private int silences;
    private long longestNs;
    /** When the last query was answered; -1 = it is not known. */
    private long readyNs = -1;

    /** @param isOver whether the connection is new, so that there is nothing to try */
    PostgresTrial(Clients clients, boolean isOver) {
        this.clients = clients;
        this.isOver = isOver;
    }

    /** Whether answers may be passed on. */
    boolean isOver() {
        return isOver;
    }

    /** It is not known any more what is answered. */
    void restart() {
        isOver = false;
        queries = 0;
        silences = 0;
        longestNs = 0;
        readyNs = -1;
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
        if (isOver) {
            return;
        }
        if (isAlone && readyNs >= 0 && nowNs - readyNs >= Math.max(SILENCE_NS, 2 * longestNs)) {
            silences++;
        }
        isOver = silences >= SILENCES || (!clients.isAhead && queries >= QUERIES);
    }

    /** The server is ready after this query. */
    void ready(long sentNs, long nowNs) {
        longestNs = Math.max(longestNs, sentNs == 0 ? 0 : nowNs - sentNs);
        readyNs = nowNs;
        queries++;
    }
}
