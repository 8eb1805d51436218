package dev.probestream.convert.request;

import dev.probestream.convert.request.Request.KeepAlive;
import dev.probestream.convert.request.Request.Side;
import dev.probestream.schema.EventView;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * HTTP/1 messages become requests: requests by the parser's callbacks, answers by their first line. Each method
 * returns the request that the hit is of; null = none that is known.
 */
final class Messages {
    static final int LIMIT = 1 << 15;

    /** Requests of one connection that are not answered. */
    private static final int MAX_PENDING = 1 << 10;

    private final Exchanges exchanges;
    private final PendingEdges edges;
    private final PointerTable<Parser> parsers = new PointerTable<>(LIMIT);

    Messages(Exchanges exchanges, PendingEdges edges) {
        this.exchanges = exchanges;
        this.edges = edges;
    }

    /** Where the messages of a parser come from: the stream being handled, else the one it was last used for. */
    private Parser parser(ProbePlan plan, EventView event, @Nullable Connection handled) {
        long pointer = plan.number(Field.PARSER, event, 0);
        Parser parser = parsers.get(event.pid(), pointer);
        boolean isLost = parser == null || parser.connection.isClosed;
        Connection connection = handled == null && isLost ? new Connection(event.pid(), 0) : handled;
        if (parser == null) {
            parser = new Parser(connection == null ? new Connection(event.pid(), 0) : connection);
            parsers.put(event.pid(), pointer, parser);
        } else if (connection != null && connection != parser.connection) {
            parser.connection = connection;
            parser.exchange = null;
            parser.messageStartNs = -1;
        }
        return parser;
    }

    @Nullable
    Exchange begin(ProbePlan plan, EventView event, @Nullable Connection handled) throws IOException {
        Parser parser = parser(plan, event, handled);
        parser.exchange = null;
        parser.isInformational = false;
        parser.messageStartNs = event.timestampNs();
        long type = plan.number(Field.TYPE, event, 0);
        if (type == Llhttp.TYPE_REQUEST) {
            return beginRequest(parser, event);
        }
        return type == Llhttp.TYPE_RESPONSE ? beginAnswer(parser) : null;
    }

    private Exchange beginRequest(Parser parser, EventView event) throws IOException {
        Connection connection = parser.connection;
        long startNs = parser.messageStartNs < 0 ? event.timestampNs() : parser.messageStartNs;
        parser.messageStartNs = startNs;
        dropAnswered(connection, startNs);
        Exchange answered = connection.answering;
        if (answered != null && connection.pending.isEmpty()) {
            connection.answering = null;
            exchanges.complete(answered, startNs);
        }
        Exchange begun = exchanges.begin(Side.SERVER, null, connection, event.tid(), startNs);
        begun.receivedBytes = connection.unclaimedBytes;
        connection.unclaimedBytes = 0;
        begun.awaitNetwork(startNs);
        add(begun, connection);
        connection.isServer = true;
        connection.beginReading(begun);
        parser.exchange = begun;
        return begun;
    }

    private void add(Exchange begun, Connection connection) throws IOException {
        if (connection.pending.size() >= MAX_PENDING) {
            exchanges.leave(connection.pending.remove(), begun.startNs);
        }
        connection.pending.add(begun);
    }

    private static @Nullable Exchange beginAnswer(Parser parser) {
        Connection connection = parser.connection;
        Exchange oldest = connection.pending.peek();
        if (oldest == null || oldest.isServer()) {
            return null;
        }
        connection.handled = oldest;
        parser.exchange = oldest;
        oldest.isParsed = true;
        return oldest;
    }

    @Nullable
    Exchange url(ProbePlan plan, EventView event, @Nullable Connection handled) throws IOException {
        Parser parser = parser(plan, event, handled);
        Exchange exchange = parser.exchange;
        if (exchange != null && !exchange.isServer()) {
            return null;
        }
        if (exchange == null || exchange.hasHeaders) {
            exchange = beginRequest(parser, event);
        }
        exchange.appendUrl(plan.text(Field.URL, event));
        return exchange;
    }

    @Nullable
    Exchange headers(ProbePlan plan, EventView event, @Nullable Connection handled) throws IOException {
        Parser parser = parser(plan, event, handled);
        long type = plan.number(Field.TYPE, event, 0);
        Exchange exchange = parser.exchange;
        if (type == Llhttp.TYPE_RESPONSE) {
            exchange = exchange == null || exchange.isServer() ? beginAnswer(parser) : exchange;
            if (exchange != null) {
                answerHeaders(parser, exchange, plan, event);
            }
        } else if (type == Llhttp.TYPE_REQUEST) {
            exchange = exchange == null || !exchange.isServer() || exchange.hasHeaders
                    ? beginRequest(parser, event)
                    : exchange;
            requestHeaders(exchange, plan, event);
        }
        return exchange;
    }

    private static void requestHeaders(Exchange exchange, ProbePlan plan, EventView event) {
        exchange.hasHeaders = true;
        exchange.method = Llhttp.method(plan.number(Field.METHOD, event, -1));
        long major = plan.number(Field.MAJOR, event, -1);
        long minor = plan.number(Field.MINOR, event, -1);
        if (major >= 0 && minor >= 0 && plan.has(Field.FLAGS, event)) {
            long flags = plan.number(Field.FLAGS, event, 0);
            exchange.keepAlive = Llhttp.keepsAlive(major, minor, flags) ? KeepAlive.YES : KeepAlive.NO;
            if (!Llhttp.hasBody(flags)) {
                exchange.stopAwaitingNetwork(event.timestampNs());
            }
        }
    }

    private static void answerHeaders(Parser parser, Exchange exchange, ProbePlan plan, EventView event) {
        int status = (int) plan.number(Field.STATUS, event, 0);
        parser.isInformational = Llhttp.isInformational(status);
        if (parser.isInformational) {
            return;
        }
        exchange.hasHeaders = true;
        exchange.status = status;
        exchange.headNs = event.timestampNs();
        long major = plan.number(Field.MAJOR, event, -1);
        long minor = plan.number(Field.MINOR, event, -1);
        if (major >= 0 && minor >= 0 && plan.has(Field.FLAGS, event)) {
            boolean isAnswerToHead = exchange.method.equals("HEAD");
            long flags = plan.number(Field.FLAGS, event, 0);
            exchange.keepAlive =
                    Llhttp.keepsAlive(major, minor, flags, status, isAnswerToHead) ? KeepAlive.YES : KeepAlive.NO;
        }
    }

    @Nullable
    Exchange end(ProbePlan plan, EventView event, @Nullable Connection handled) throws IOException {
        Parser parser = parser(plan, event, handled);
        Exchange exchange = parser.exchange;
        parser.exchange = null;
        parser.messageStartNs = -1;
        if (exchange == null) {
            return null;
        }
        long nowNs = event.timestampNs();
        if (exchange.isServer()) {
            exchange.isParsed = true;
            exchange.stopAwaitingNetwork(nowNs);
            if (parser.connection.reading == exchange) {
                parser.connection.readWhole(exchange);
            }
        } else if (!parser.isInformational) {
            exchange.endsAt(nowNs);
            exchanges.complete(exchange, nowNs);
            parser.connection.pending.remove(exchange);
            parser.connection.isUpgraded |= Llhttp.switchesProtocol(exchange.method, exchange.status);
        }
        return exchange;
    }

    /** The first line of a message was written to the connection, by a thread that works for {@code root}. */
    @Nullable
    Exchange line(Connection connection, String text, EventView event, @Nullable Exchange root) throws IOException {
        FirstLine line = FirstLine.of(text);
        if (line == null || connection.isUpgraded || (line.isRequest() && connection.isServer)) {
            return null;
        }
        if (connection.writes.isRepetition(text, event.timestampNs())) {
            return connection.writing();
        }
        return line.isRequest()
                ? requestLine(connection, line, event, root)
                : statusLine(connection, line.status(), event.timestampNs(), root);
    }

    private @Nullable Exchange statusLine(Connection connection, int status, long nowNs, @Nullable Exchange root)
            throws IOException {
        dropUnanswered(connection, root);
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
        connection.writes.claim(oldest, nowNs, edges);
        Exchange answered = connection.answering;
        if (answered != null) {
            exchanges.complete(answered, nowNs);
        }
        connection.answering = oldest;
        connection.isUpgraded = Llhttp.switchesProtocol(oldest.method, status);
        return oldest;
    }

    /**
     * Requests that were answered, so that the next one is not pipelined, though the beginning of the answer was not seen:
     * what was written, or read, is all there is of it.
     */
    private void dropAnswered(Connection connection, long nowNs) throws IOException {
        for (Exchange oldest = connection.pending.peek();
                oldest != null && oldest.endNs() >= 0;
                oldest = connection.pending.peek()) {
            exchanges.complete(oldest, nowNs);
            connection.pending.remove();
        }
    }

    /**
     * Node answers in the order of the requests. Who writes an answer in its own context has none before it: theirs were
     * lost, and must not be taken for those of the requests that follow.
     */
    private void dropUnanswered(Connection connection, @Nullable Exchange writer) throws IOException {
        if (writer == null || writer.connection != connection || !connection.pending.contains(writer)) {
            return;
        }
        for (Exchange oldest = connection.pending.remove(); oldest != writer; oldest = connection.pending.remove()) {
            if (oldest.endNs() < 0) {
                oldest.endsAt(writer.startNs);
            }
            exchanges.complete(oldest, writer.startNs);
        }
        connection.pending.addFirst(writer);
    }

    private Exchange requestLine(Connection connection, FirstLine line, EventView event, @Nullable Exchange root)
            throws IOException {
        long nowNs = event.timestampNs();
        dropAnswered(connection, nowNs); // such as those that fetch reads, with a parser of its own
        connection.endConnecting(nowNs);
        Exchange ordering = root != null ? root : connection.orderedBy;
        connection.orderedBy = null;
        Exchange parent = ordering != null && ordering.isServer() ? ordering : null;
        Exchange begun = exchanges.begin(Side.CLIENT, parent, connection, event.tid(), nowNs);
        begun.method = line.method();
        begun.appendUrl(line.target());
        begun.sweep.begin(RequestPhase.NETWORK, nowNs);
        begun.awaitNetwork(nowNs);
        add(begun, connection);
        connection.writes.claim(begun, nowNs, edges);
        return begun;
    }

    /** A parser of llhttp, from the beginning of a message to the beginning of the next. */
    static final class Parser {
        /** Where its messages come from. */
        Connection connection;

        /** Whose message it reads; null = not known (yet). */
        @Nullable
        Exchange exchange;

        /** When the message began; -1 = between messages. */
        long messageStartNs = -1;

        /** An answer that only announces another one. */
        boolean isInformational;

        Parser(Connection connection) {
            this.connection = connection;
        }
    }
}
