package dev.probestream.convert.request;

import dev.probestream.convert.request.http.FirstLine;
import dev.probestream.convert.request.http.Llhttp;
import dev.probestream.convert.request.plan.Field;
import dev.probestream.convert.request.plan.ProbePlan;
import dev.probestream.schema.EventView;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The streams of all processes, and what is read and written on them. */
final class Streams {
    static final int LIMIT = 1 << 15;

    /** Negative, as libuv returns it: the stream takes nothing at present. */
    private static final long EAGAIN = -11;

    /** libuv's, at the end of what can be read (uv/errno.h). */
    private static final long UV_EOF = -4095;

    private final Exchanges exchanges;
    private final PendingEdges edges;
    private final PointerTable<Connection> connections = new PointerTable<>(LIMIT);
    /** By file descriptor: what was open when the capture began, or was accepted since, until its stream is known or the descriptor is another's. */
    private final PointerTable<Ends> openBefore = new PointerTable<>(LIMIT);

    /** The addresses of a connection, as text. */
    private record Ends(String remote, String local) {}

    Streams(Exchanges exchanges, PendingEdges edges) {
        this.exchanges = exchanges;
        this.edges = edges;
    }

    /** A connection that was open when the capture began, or of which only the descriptor is known yet; of no request. */
    @Nullable
    Exchange open(ProbePlan plan, EventView event) {
        long fd = plan.hasReturnValue(event) ? event.returnValue() : plan.number(Field.FD, event, -1);
        if (fd >= 0) {
            Ends ends = new Ends(plan.text(Field.REMOTE, event), plan.text(Field.LOCAL, event));
            openBefore.put(event.pid(), fd, ends);
        }
        return null;
    }

    /** The event's stream, known from now on; null = the event has none. */
    @Nullable
    Connection of(ProbePlan plan, EventView event) {
        Connection connection = at(event.pid(), plan.number(Field.STREAM, event, 0));
        return connection == null ? null : describe(connection, plan, event);
    }

    /** The stream there, if it is known already. */
    @Nullable
    Connection known(int pid, long stream) {
        return connections.get(pid, stream);
    }

    private @Nullable Connection at(int pid, long stream) {
        if (stream == 0) {
            return null;
        }
        Connection connection = connections.get(pid, stream);
        if (connection == null) {
            connection = new Connection(pid, stream);
            connections.put(pid, stream, connection);
        }
        return connection;
    }

    private Connection describe(Connection connection, ProbePlan plan, EventView event) {
        Ends before = takeOpenBefore(plan, event);
        if (before != null && !connection.isSeenToBegin) {
            connection.remote = before.remote;
            connection.local = before.local;
        }
        if (connection.remote.isEmpty() && plan.has(Field.REMOTE, event)) {
            connection.remote = plan.text(Field.REMOTE, event);
        }
        if (connection.local.isEmpty() && plan.has(Field.LOCAL, event)) {
            connection.local = plan.text(Field.LOCAL, event);
        }
        return connection;
    }

    /** Whoever has the descriptor now, it is no longer free for another stream. */
    private @Nullable Ends takeOpenBefore(ProbePlan plan, EventView event) {
        return plan.has(Field.FD, event) ? openBefore.remove(event.pid(), plan.number(Field.FD, event, 0)) : null;
    }

    /** The stream that the event names, and through what is written to it; null = not known. */
    @Nullable
    Connection ofWriter(ProbePlan plan, EventView event) {
        Connection named = of(plan, event);
        return named == null ? null : through(plan, event, named);
    }

    /** The stream that a parser reads from, itself or through a session; null = JavaScript feeds it, or unknown. */
    @Nullable
    Connection ofReader(ProbePlan plan, EventView event) {
        if (!plan.has(Field.HANDLE)) {
            return of(plan, event);
        }
        Connection connection = at(event.pid(), plan.readFrom(event));
        return connection == null || plan.isOfSocket(event) ? connection : through(plan, event, connection);
    }

    /** Whether the hit has the total that was ever read. */
    static boolean hasTotal(ProbePlan plan, EventView event) {
        return plan.has(Field.RECEIVED, event) && (plan.has(Field.HANDLE, event) || !plan.has(Field.HANDLE));
    }

    /** How much was read since the last hit that has the total; -1 = unknown. */
    static long readSince(Connection connection, ProbePlan plan, EventView event) {
        connection.parsedTotal = plan.number(Field.RECEIVED, event, 0);
        return plan.has(Field.HANDLE, event) && !plan.isOfSocket(event)
                ? connection.readUpTo(plan.number(Field.BELOW_RECEIVED, event, 0), -1)
                : connection.readUpTo(plan.number(Field.RECEIVED, event, 0), plan.number(Field.READ, event, -1));
    }

    /** The same connection; if the event names a session, all goes through that. */
    Connection through(ProbePlan plan, EventView event, Connection connection) {
        long tls = plan.number(Field.TLS, event, 0);
        if (tls != 0) {
            connection.tls = tls;
        }
        return connection;
    }

    /** A new connection under this pointer: that an older one was closed has not been seen. */
    @Nullable
    Connection renew(ProbePlan plan, EventView event) throws IOException {
        Connection older = connections.get(event.pid(), plan.number(Field.STREAM, event, 0));
        if (older != null) {
            close(older, false, event.timestampNs());
        }
        takeOpenBefore(plan, event);
        Connection renewed = of(plan, event);
        if (renewed != null) {
            renewed.isSeenToBegin = true;
        }
        return renewed;
    }

    /** Bytes of the stream reach Node; negative = its end. */
    static void handle(Connection connection, long bytes) {
        if (bytes < 0) {
            connection.failed(bytes);
        }
        if (bytes != 0) {
            connection.handling = bytes < 0 ? Connection.Handling.END_READ : Connection.Handling.BYTES_READ;
        }
    }

    void read(Connection connection, long bytes, long nowNs) {
        handle(connection, bytes);
        if (bytes > 0) {
            count(connection, bytes, nowNs);
        }
    }

    /** What came on the connection is handed to JavaScript; with TLS less, or more, than came. */
    void data(Connection connection, ProbePlan plan, EventView event) throws IOException {
        long bytes = plan.hasReturnValue(event) ? returned(event.returnValue()) : plan.number(Field.BYTES, event, 0);
        handle(connection, bytes);
        if (bytes > 0) {
            Exchange oldest = connection.pending.peek();
            if (connection.isUpgraded && oldest != null && !oldest.isServer() && oldest.endNs() >= 0) {
                connection.pending.remove(); // what follows is of another protocol
                exchanges.complete(oldest, event.timestampNs());
            }
            if (plan.has(Field.LINE, event)) {
                lineRead(connection, plan.text(Field.LINE, event), event.timestampNs());
            }
            long read = connection.isTls() ? -1 : bytes;
            boolean hasReceived = plan.has(Field.RECEIVED, event);
            long counted = hasReceived ? connection.readUpTo(plan.number(Field.RECEIVED, event, 0), read) : read;
            count(connection, counted, event.timestampNs());
            if (oldest != null && oldest.isAnnounced && !oldest.isServer() && !oldest.isOver) {
                oldest.endedAlreadyAt(-1); // the answer itself is still to come
            }
        }
    }

    /** What read(2) has returned, as libuv hands it on. */
    private static long returned(long result) {
        return result == 0 ? UV_EOF : result;
    }

    /**
     * What was read from a client's connection begins with the first line of an answer, "" = with something else. Of answers that no
     * parser of Node reads nothing else gives the status.
     */
    private static void lineRead(Connection connection, String text, long nowNs) {
        Exchange oldest = connection.pending.peek();
        FirstLine line = FirstLine.of(text);
        if (oldest == null || oldest.isServer()) {
            return;
        }
        int status = line == null || Llhttp.isInformational(line.status()) ? 0 : line.status();
        oldest.isAnnounced = line != null && status == 0;
        if (connection.pipelined != null) {
            connection.pipelined.read(status, nowNs);
        } else if (line != null && status != 0 && oldest.endNs() < 0) {
            oldest.status = status;
            oldest.headNs = nowNs;
            oldest.answerEnd.begin(line.answerBytes(oldest.method), false);
            connection.isUpgraded = Llhttp.switchesProtocol(oldest.method, status);
        }
    }

    /** Bytes that came on the connection are those of a request on it; -1 = the number is unknown. */
    void count(Connection connection, long bytes, long nowNs) {
        Exchange oldest = connection.pending.peek();
        if (connection.reading != null) {
            connection.reading.receive(bytes);
        } else if (oldest != null && !oldest.isServer()) {
            oldest.receive(bytes);
            oldest.answerEnd.wrote(Math.max(0, bytes));
            oldest.endsAt(nowNs); // as far as one can see from here
        } else {
            connection.unclaimedBytes = bytes;
        }
    }

    /**
     * Bytes are written, or try to be.
     *
     * @param bytes how many; negative = the stream refuses them
     * @return the request they are of; null = none that is known
     */
    @Nullable
    Exchange write(Connection connection, long bytes, long nowNs, long endNs) throws IOException {
        if (bytes < 0) {
            if (bytes != EAGAIN) {
                connection.failed(bytes);
            }
            connection.writes.refused(nowNs, endNs);
            return connection.writing();
        }
        Exchange answered = connection.answering;
        if (connection.isUpgraded && answered != null && nowNs > answered.endNs()) {
            connection.answering = null;
            exchanges.complete(answered, nowNs);
        }
        Exchange exchange = connection.isUpgraded ? connection.answering : connection.writing();
        if (exchange != null && exchange.isServer() && exchange.headNs >= 0) {
            exchange.goesOn();
            if (connection.writesLastChunk) {
                exchange.answerEnd.wroteLastChunk();
            }
            if (exchange.answerEnd.isPast() || exchange.answerEnd.holds(bytes, endNs)) {
                exchange = null;
            }
        }
        connection.writesLastChunk = false;
        long endBeforeNs = exchange == null ? -1 : exchange.endNs();
        if (exchange != null) {
            exchange.send(bytes);
            // Plain bytes without a line are an answer whose line was lost; those of a session may be the session's
            // own.
            boolean isAnswer = exchange.headNs >= 0 || !(exchange.isAnnounced || connection.isTls());
            if (exchange.isServer() && isAnswer) {
                exchange.endsAt(endNs, edges);
            }
        }
        connection.writes.wrote(nowNs, endNs, bytes, exchange, endBeforeNs);
        return exchange;
    }

    /** The last chunk of an answer is written, by the write that is seen next, or was seen just now. */
    @Nullable
    Exchange lastChunk(Connection connection, long nowNs) {
        Exchange answered = connection.answering;
        if (answered == null || !connection.writes.covers(nowNs)) {
            connection.writesLastChunk = true;
            return null;
        }
        answered.answerEnd.wroteLastChunk();
        return answered;
    }

    /** The stream, if it is known, is closed; the request that this ends, null = none. */
    @Nullable
    Exchange close(ProbePlan plan, EventView event) throws IOException {
        takeOpenBefore(plan, event);
        Connection closed = connections.get(event.pid(), plan.number(Field.STREAM, event, 0));
        if (closed == null) {
            return null;
        }
        Exchange ended = closed.pending.peek();
        close(closed, true, event.timestampNs());
        return ended;
    }

    /** @param isSeen whether the hit is the close itself */
    private void close(Connection connection, boolean isSeen, long nowNs) throws IOException {
        connection.isClosed = true;
        connections.remove(connection.pid, connection.stream);
        connection.endConnecting(nowNs);
        connection.orderedBy = null;
        connection.reading = null;
        if (connection.http2 != null) {
            connection.http2.closed(exchanges, nowNs);
        }
        if (connection.pipelined != null) {
            connection.pipelined.end(connection, exchanges, nowNs);
        }
        Exchange answered = connection.answering;
        if (answered != null) {
            connection.answering = null;
            exchanges.closed(answered, nowNs);
        }
        for (Exchange next = connection.pending.poll(); next != null; next = connection.pending.poll()) {
            exchanges.disconnected(next, isSeen, nowNs);
        }
    }
}
