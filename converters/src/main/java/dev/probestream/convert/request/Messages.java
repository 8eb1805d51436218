package dev.probestream.convert.request;

import dev.probestream.convert.request.Request.KeepAlive;
import dev.probestream.convert.request.http.Llhttp;
import dev.probestream.convert.request.plan.Field;
import dev.probestream.convert.request.plan.ProbePlan;
import dev.probestream.convert.request.plan.Role;
import dev.probestream.schema.EventView;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * HTTP/1 messages become requests: those that Node's parser reads, by its callbacks. Each method returns the request that the hit is
 * of; null = none that is known.
 */
final class Messages {
    static final int LIMIT = 1 << 15;

    /** A parser of llhttp, from the beginning of a message to the beginning of the next. */
    private static final class Parser {
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

        /** The time at which the message began, by the parser's own clock reading. */
        void takeBegin(ProbePlan plan, EventView event) {
            long beginNs = plan.number(Field.BEGIN, event, 0);
            if (beginNs > 0 && beginNs <= event.timestampNs()) {
                messageStartNs = beginNs;
            }
        }

        /** A server's request was read to its end. */
        void readWhole(Exchange request, long nowNs) {
            exchange = null;
            messageStartNs = -1;
            request.isParsed = true;
            request.stopAwaitingNetwork(nowNs);
            if (connection.reading == request) {
                connection.readWhole(request);
            }
        }
    }

    private final Exchanges exchanges;
    private final FirstLines lines;
    private final PointerTable<Parser> parsers = new PointerTable<>(LIMIT);

    Messages(Exchanges exchanges, FirstLines lines) {
        this.exchanges = exchanges;
        this.lines = lines;
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

    /**
     * Whose bytes a parser reads that JavaScript feeds: those of the message that it is in the midst of, else what JavaScript
     * got last, unless only the parser's connection waits for an answer.
     */
    Connection fed(ProbePlan plan, EventView event, Connection latest) {
        Parser parser = parsers.get(event.pid(), plan.number(Field.PARSER, event, 0));
        if (parser == null || parser.connection.isClosed) {
            return latest;
        }
        Exchange within = parser.exchange;
        boolean isWithin = within != null && !within.isOver && !(plan.role() == Role.HTTP_HEADERS && within.hasHeaders);
        boolean isMeant = parser.connection.awaitsAnswer() && !latest.awaitsAnswer();
        return isWithin || isMeant ? parser.connection : latest;
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
        long startNs = parser.messageStartNs < 0 ? event.timestampNs() : parser.messageStartNs;
        parser.messageStartNs = startNs;
        Exchange begun = lines.begin(parser.connection, event, startNs);
        begun.awaitNetwork(startNs);
        parser.exchange = begun;
        return begun;
    }

    private static @Nullable Exchange beginAnswer(Parser parser) {
        Connection connection = parser.connection;
        Exchange oldest = connection.pending.peek();
        if (oldest == null || oldest.isServer()) {
            return null;
        }
        connection.handled = oldest;
        connection.isParsedByNode = true;
        connection.pipelined = null;
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
            parser.takeBegin(plan, event);
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
            exchange = exchange != null && exchange.isServer() && !exchange.hasHeaders
                    ? receive(parser.connection, exchange, plan, event)
                    : firstSeen(parser, plan, event);
            requestHeaders(exchange, plan, event);
            if (plan.has(Field.REST, event) && endsWithHeaders(exchange, plan, event)) {
                parser.readWhole(exchange, event.timestampNs());
            }
        }
        return exchange;
    }

    /** A request of which this hit is the first: the hit gives the begin. */
    private Exchange firstSeen(Parser parser, ProbePlan plan, EventView event) throws IOException {
        Connection connection = parser.connection;
        parser.takeBegin(plan, event);
        if (!Streams.hasTotal(plan, event)) {
            return beginRequest(parser, event);
        }
        long before = connection.parsedTotal;
        connection.unclaimedBytes = Streams.readSince(connection, plan, event);
        long since = connection.parsedTotal - before;
        if (exchanges.lost().areAny() && before >= 0 && since != 0 && plan.has(Field.READ, event)) {
            long reading = plan.number(Field.READ, event, 0);
            if (since > reading) {
                connection.unclaimedBytes = -1;
                exchanges.missedBefore(connection, event.timestampNs());
            } else if (since == reading) {
                exchanges.missedNone(connection, event.timestampNs());
            }
        }
        return beginRequest(parser, event);
    }

    /** Counts what was read from the connection as the request's, if the hit has it. */
    private static Exchange receive(Connection connection, Exchange exchange, ProbePlan plan, EventView event) {
        if (Streams.hasTotal(plan, event)) {
            exchange.receive(Streams.readSince(connection, plan, event));
        }
        return exchange;
    }

    private static boolean endsWithHeaders(Exchange exchange, ProbePlan plan, EventView event) {
        long flags = plan.number(Field.FLAGS, event, 0);
        return !Llhttp.hasBody(flags)
                || exchange.method.equals("CONNECT")
                || Llhttp.isWhole(flags, plan.number(Field.REST, event, -1));
    }

    private static void requestHeaders(Exchange exchange, ProbePlan plan, EventView event) {
        exchange.hasHeaders = true;
        if (exchange.url().isEmpty()) {
            exchange.appendUrl(plan.text(Field.URL, event));
        }
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

    private void answerHeaders(Parser parser, Exchange exchange, ProbePlan plan, EventView event) throws IOException {
        int status = (int) plan.number(Field.STATUS, event, 0);
        parser.isInformational = Llhttp.isInformational(status);
        if (parser.isInformational) {
            if (plan.has(Field.REST, event)) {
                parser.exchange = null; // the answer itself is the parser's next message
            }
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
            boolean isWhole = Llhttp.hasNoBody(exchange.method, status)
                    || Llhttp.isWhole(flags, plan.number(Field.REST, event, -1));
            if (plan.has(Field.REST, event) && isWhole) {
                ended(parser, exchange, event.timestampNs());
            }
        }
    }

    /** A piece of a body; the message ends with it if its length was known and nothing is left. */
    @Nullable
    Exchange body(ProbePlan plan, EventView event, @Nullable Connection handled) throws IOException {
        Parser parser = parser(plan, event, handled);
        Exchange exchange = parser.exchange;
        if (exchange == null) {
            if (plan.number(Field.TYPE, event, 0) == Llhttp.TYPE_REQUEST) {
                parser.connection.readUnseen();
            }
            return null;
        }
        receive(parser.connection, exchange, plan, event);
        if (Llhttp.isWhole(plan.number(Field.FLAGS, event, 0), plan.number(Field.REST, event, -1))) {
            ended(parser, exchange, event.timestampNs());
        }
        return exchange;
    }

    @Nullable
    Exchange end(ProbePlan plan, EventView event, @Nullable Connection handled) throws IOException {
        Parser parser = parser(plan, event, handled);
        Exchange exchange = parser.exchange;
        if (exchange == null) {
            parser.messageStartNs = -1;
            return null;
        }
        receive(parser.connection, exchange, plan, event);
        ended(parser, exchange, event.timestampNs());
        return exchange;
    }

    private void ended(Parser parser, Exchange exchange, long nowNs) throws IOException {
        if (exchange.isServer()) {
            parser.readWhole(exchange, nowNs);
            return;
        }
        parser.exchange = null;
        parser.messageStartNs = -1;
        if (!parser.isInformational) {
            exchange.endsAt(nowNs);
            exchanges.complete(exchange, nowNs);
            parser.connection.pending.remove(exchange);
            parser.connection.isUpgraded |= Llhttp.switchesProtocol(exchange.method, exchange.status);
        }
    }
}
