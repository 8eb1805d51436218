package dev.probestream.convert.request;

import dev.probestream.convert.request.Request.Side;
import dev.probestream.convert.request.http.FirstLine;
import dev.probestream.convert.request.http.Llhttp;
import dev.probestream.convert.request.split.RequestPhase;
import dev.probestream.schema.EventView;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * HTTP/1 messages become requests: those whose first line is written to a connection, or begins what is read from it. Each method
 * returns the request that the hit is of; null = none that is known.
 */
final class FirstLines {
    /** Requests of one connection that are not answered. */
    private static final int MAX_PENDING = 1 << 10;

    private final Exchanges exchanges;
    private final PendingEdges edges;

    FirstLines(Exchanges exchanges, PendingEdges edges) {
        this.exchanges = exchanges;
        this.edges = edges;
    }

    /** A server's request begins, by whatever shows it. */
    Exchange begin(Connection connection, EventView event, long startNs) throws IOException {
        exchanges.giveUpUnanswered(connection, event.timestampNs());
        exchanges.dropAnswered(connection, startNs);
        Exchange answered = connection.answering;
        if (answered != null && connection.pending.isEmpty()) {
            connection.answering = null;
            answered.goesOn();
            exchanges.complete(answered, startNs);
        }
        Exchange begun = exchanges.begin(Side.SERVER, null, connection, event.tid(), startNs);
        begun.seenNs = event.timestampNs();
        begun.receivedBytes = connection.unclaimedBytes;
        connection.unclaimedBytes = 0;
        add(begun, connection);
        connection.isServer = true;
        connection.talk = null;
        connection.beginReading(begun);
        return begun;
    }

    private void add(Exchange begun, Connection connection) throws IOException {
        if (connection.givenUpFromNs >= 0) {
            begun.uncertainFromNs = Math.min(begun.uncertainFromNs, connection.givenUpFromNs);
            connection.givenUpFromNs = -1;
        }
        if (connection.pending.size() >= MAX_PENDING) {
            exchanges.leave(connection.pending.remove(), begun.startNs);
        }
        connection.pending.add(begun);
    }

    /** A reading of the connection begins with a request. */
    @Nullable
    Exchange read(Connection connection, String text, long bytes, EventView event) throws IOException {
        if (connection.isUpgraded) {
            return null;
        }
        Exchange begun = begin(connection, event, event.timestampNs());
        begun.isBehindHidden = connection.mayHideRequests;
        connection.hidesRequests |= connection.mayHideRequests && connection.pending.size() > 1;
        FirstLine line = FirstLine.of(text);
        connection.mayHideRequests |= line == null || !line.isAsLongAs(bytes);
        if (line != null && line.isRequest()) {
            begun.method = line.method();
            begun.appendUrl(line.target());
            connection.hidesRequests |= line.isShorterThan(bytes);
        }
        begun.receivedBytes = -1;
        begun.hasHeaders = true;
        begun.isParsed = true;
        connection.isKnownByReadings = true;
        connection.readWhole(begun);
        return begun;
    }

    /** The first line of a message was written to the connection, by a thread that works for {@code root}. */
    @Nullable
    Exchange written(Connection connection, String text, EventView event, @Nullable Exchange root) throws IOException {
        FirstLine line = FirstLine.of(text);
        if (line == null || connection.isUpgraded || (line.isRequest() && connection.isServer)) {
            return null;
        }
        if (line.isHttp2()) {
            connection.talk = null;
            return null;
        }
        if (connection.writes.isRepetition(text, event.timestampNs())) {
            return connection.writing();
        }
        return line.isRequest()
                ? requestLine(connection, line, event, root)
                : statusLine(connection, line, event, root);
    }

    private @Nullable Exchange statusLine(
            Connection connection, FirstLine line, EventView event, @Nullable Exchange root) throws IOException {
        int status = line.status();
        long nowNs = event.timestampNs();
        exchanges.dropUnanswered(connection, root, nowNs);
        if (connection.mayOweUnseen && !Llhttp.isInformational(status) && mayBeUnseens(connection, root)) {
            answerUnknown(connection, nowNs);
            return null;
        }
        if (connection.pending.isEmpty() && connection.isServer && Llhttp.isRefusal(status)) {
            beginRefused(connection, event);
        }
        if (connection.hidesRequests(status)) {
            answerUnknown(connection, nowNs);
            return null;
        }
        Exchange oldest = connection.pending.peek();
        if (oldest == null || !oldest.isServer()) {
            return oldest;
        }
        if (Llhttp.isInformational(status)) {
            oldest.isAnnounced = true;
            oldest.endedAlreadyAt(-1);
            return oldest;
        }
        connection.pending.remove();
        oldest.headNs = nowNs;
        oldest.status = status;
        oldest.endsAt(nowNs);
        oldest.answerEnd.begin(line.answerBytes(oldest.method), line.isInChunks() && exchanges.seesLastChunks());
        connection.writes.claim(oldest, nowNs, edges);
        Exchange answered = connection.answering;
        if (answered != null) {
            answered.goesOn();
            exchanges.complete(answered, nowNs);
        }
        connection.answering = oldest;
        connection.isUpgraded = Llhttp.switchesProtocol(oldest.method, status);
        return oldest;
    }

    /**
     * Whether the answer may be that to a request whose begin was not seen. It is not if who writes it has been seen to begin. Once no other one waits,
     * all answers that come are to later requests.
     */
    private static boolean mayBeUnseens(Connection connection, @Nullable Exchange writer) {
        Exchange oldest = connection.pending.peek();
        boolean isWriters = oldest != null && oldest == writer;
        connection.mayOweUnseen = !isWriters && oldest != null;
        return !isWriters;
    }

    /** Of requests that a client writes behind one another, the answer to one of them, it is not known to which. */
    private void answerUnknown(Connection connection, long nowNs) throws IOException {
        Exchange answered = connection.answering;
        if (answered != null) {
            connection.answering = null;
            if (answered.isBehindHidden) {
                exchanges.giveUp(answered, nowNs);
            } else {
                exchanges.complete(answered, nowNs);
            }
        }
        Exchange oldest = connection.pending.poll();
        if (oldest != null) {
            exchanges.giveUp(oldest, nowNs);
        }
    }

    /** A request that Node answers by itself, as it cannot be read: it began, at the latest, when the loop began to handle what came. */
    private void beginRefused(Connection connection, EventView event) throws IOException {
        long nowNs = event.timestampNs();
        long startNs = connection.handledFromNs < 0 ? nowNs : connection.handledFromNs;
        Exchange refused = exchanges.begin(Side.SERVER, null, connection, event.tid(), startNs);
        refused.receivedBytes = -1;
        refused.isParsed = true;
        add(refused, connection);
    }

    private Exchange requestLine(Connection connection, FirstLine line, EventView event, @Nullable Exchange root)
            throws IOException {
        long nowNs = event.timestampNs();
        exchanges.giveUpUnanswered(connection, nowNs);
        if (connection.pipelined == null || connection.pipelined.isResolved(connection, exchanges, nowNs)) {
            exchanges.dropAnswered(connection, nowNs); // such as those that fetch reads, with a parser of its own
            connection.pipelined = connection.pending.isEmpty() ? null : new PipelinedAnswers();
        }
        connection.endConnecting(nowNs);
        Exchange ordering = root != null ? root : connection.orderer(exchanges.lost(), nowNs);
        connection.orderedBy = null;
        connection.talk = null;
        Exchange parent = ordering != null && ordering.isServer() ? ordering : null;
        if (connection.firstUser == null) {
            connection.firstUser = parent;
        }
        connection.lastUser = parent;
        Exchange begun = exchanges.begin(Side.CLIENT, parent, connection, event.tid(), nowNs);
        begun.method = line.method();
        begun.appendUrl(line.target());
        begun.sweep.begin(RequestPhase.NETWORK, nowNs);
        begun.awaitNetwork(nowNs);
        add(begun, connection);
        connection.writes.claim(begun, nowNs, edges);
        return begun;
    }
}
