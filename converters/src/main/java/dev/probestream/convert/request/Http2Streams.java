package dev.probestream.convert.request;

import dev.probestream.convert.request.Request.Side;
import dev.probestream.convert.request.http.FirstLine;
import dev.probestream.convert.request.http.GrpcStatus;
import dev.probestream.convert.request.plan.Field;
import dev.probestream.convert.request.plan.ProbePlan;
import dev.probestream.convert.request.split.RequestPhase;
import dev.probestream.schema.EventView;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Streams of HTTP/2 sessions become requests: a stream is one, from its headers to its close. Several of a session are under way at
 * once, and none of them is in {@link Connection#pending}. Each method returns the request that the hit is of; null = none that is known.
 */
final class Http2Streams {
    private static final String PROTOCOL = "http2";

    /** nghttp2.h, enum nghttp2_headers_category */
    private static final int HCAT_REQUEST = 0;

    /** nghttp2.h, enum nghttp2_flag */
    private static final int FLAG_END_STREAM = 1;

    /** RFC 9113, section 7; the place in the list is the number. */
    private static final String[] CODES = {
        "",
        "PROTOCOL_ERROR",
        "INTERNAL_ERROR",
        "FLOW_CONTROL_ERROR",
        "SETTINGS_TIMEOUT",
        "STREAM_CLOSED",
        "FRAME_SIZE_ERROR",
        "REFUSED_STREAM",
        "CANCEL",
        "COMPRESSION_ERROR",
        "CONNECT_ERROR",
        "ENHANCE_YOUR_CALM",
        "INADEQUATE_SECURITY",
        "HTTP_1_1_REQUIRED"
    };

    private final Exchanges exchanges;
    private final Streams streams;
    /** By Node's session and by nghttp2's. */
    private final PointerTable<Session> sessions = new PointerTable<>(Streams.LIMIT);

    private final PointerTable<Session> sessionsOfNghttp2 = new PointerTable<>(Streams.LIMIT);
    /** By thread. */
    private final PointerTable<Headers> begun = new PointerTable<>(Streams.LIMIT);

    /** Headers that began last on a thread. */
    private record Headers(long id, Exchange exchange) {}

    Http2Streams(Exchanges exchanges, Streams streams) {
        this.exchanges = exchanges;
        this.streams = streams;
    }

    @Nullable
    Exchange request(ProbePlan plan, EventView event, ThreadContext thread) throws IOException {
        long id = plan.number(Field.ID, event, -1);
        Session session = session(plan, event);
        if (id < 0 || session == null) {
            return null;
        }
        Connection connection = session.connection;
        long nowNs = event.timestampNs();
        connection.endConnecting(nowNs);
        Exchange ordering = thread.worker();
        connection.orderedBy = null; // what else waited for the connection may be of others
        Exchange parent = ordering != null && ordering.isServer() ? ordering : null;
        Exchange request = begin(Side.CLIENT, parent, session, id, event);
        request.parentSource = thread.source();
        String line = plan.text(Field.LINE, event);
        int target = line.indexOf('/');
        int space = line.indexOf(' ');
        if (space > 0 || target != 0) {
            request.method = space > 0 ? line.substring(0, space) : line;
        }
        request.appendUrl(space > 0 ? line.substring(space + 1) : target == 0 ? line : "");
        request.sweep.begin(RequestPhase.NETWORK, nowNs);
        request.awaitNetwork(nowNs);
        return request;
    }

    private Exchange begin(Side side, @Nullable Exchange parent, Session session, long id, EventView event)
            throws IOException {
        Exchange begun = exchanges.begin(side, parent, session.connection, event.tid(), event.timestampNs());
        begun.details = RequestDetails.EMPTY.of(PROTOCOL, "");
        begun.sentBytes = -1; // the frames of a session have one connection in common
        Exchange oldest = session.add(id, begun);
        if (oldest != null) {
            exchanges.leave(oldest, event.timestampNs());
        }
        return begun;
    }

    @Nullable
    Exchange headers(ProbePlan plan, EventView event) throws IOException {
        Session session = session(plan, event);
        if (session == null) {
            return null;
        }
        long id = plan.number(Field.ID, event, 0);
        Exchange exchange = session.get(id);
        if (exchange == null && plan.number(Field.CATEGORY, event, -1) == HCAT_REQUEST) {
            session.connection.isServer = true;
            exchange = begin(Side.SERVER, null, session, id, event);
            exchange.awaitNetwork(event.timestampNs());
        }
        if (exchange == null) {
            begun.remove(event.pid(), event.tid());
            return null;
        }
        begun.put(event.pid(), event.tid(), new Headers(id, exchange));
        handle(exchange, plan, event);
        return exchange;
    }

    /** What follows in the handling of the connection belongs to it. */
    private static void handle(Exchange exchange, ProbePlan plan, EventView event) {
        exchange.connection.handled = exchange;
        exchange.connection.handling = Connection.Handling.BYTES_READ;
        if (exchange.isServer() && (plan.number(Field.FLAGS, event, 0) & FLAG_END_STREAM) != 0) {
            exchange.isParsed = true;
            exchange.stopAwaitingNetwork(event.timestampNs());
        }
    }

    /** Whose headers the thread reads. */
    private @Nullable Exchange begun(EventView event) {
        Headers headers = begun.get(event.pid(), event.tid());
        return headers == null || headers.exchange.isOver ? null : headers.exchange;
    }

    /**
     * The server's request that the npm package gives a number: that whose headers the thread has just read, once. With another stream's
     * number it is another request, whose headers were not seen to begin.
     */
    @Nullable
    Exchange announced(long id, EventView event) {
        Headers headers = begun.remove(event.pid(), event.tid());
        if (headers == null || headers.id != id || headers.exchange.isOver) {
            return null;
        }
        return headers.exchange.isServer() ? headers.exchange : null;
    }

    @Nullable
    Exchange field(ProbePlan plan, EventView event) {
        Exchange exchange = read(plan, event);
        if (exchange == null || !exchange.isServer()) {
            return null;
        }
        if (plan.has(Field.VERB)) {
            exchange.method = plan.text(Field.VERB, event);
        } else if (exchange.url().isEmpty()) {
            exchange.appendUrl(plan.text(Field.URL, event));
        }
        return exchange;
    }

    @Nullable
    Exchange status(ProbePlan plan, EventView event) {
        Exchange exchange = read(plan, event);
        if (exchange == null || exchange.isServer()) {
            return null;
        }
        int status = plan.has(Field.ANSWER)
                ? status(plan.text(Field.ANSWER, event))
                : (int) plan.number(Field.STATUS, event, 0);
        answered(exchange, status, event.timestampNs());
        replied(exchange, plan, event);
        return exchange;
    }

    /** Whose headers are complete. */
    private @Nullable Exchange read(ProbePlan plan, EventView event) {
        if (!plan.has(Field.SESSION)) {
            return begun(event);
        }
        Session session = sessions.get(event.pid(), plan.number(Field.SESSION, event, 0));
        return session == null ? null : session.get(plan.number(Field.ID, event, 0));
    }

    /** Of an answer; 0 = it has none, as trailers. */
    private static int status(String text) {
        FirstLine line = FirstLine.of("HTTP/2 " + text);
        return line == null ? 0 : line.status();
    }

    private static void answered(Exchange exchange, int status, long nowNs) {
        if (status >= 200 && status <= 999 && exchange.status == 0) {
            exchange.status = status;
            exchange.headNs = nowNs;
        }
    }

    @Nullable
    Exchange answer(ProbePlan plan, EventView event) {
        Exchange exchange = ofNghttp2(plan, event);
        if (exchange == null) {
            return null;
        }
        answered(exchange, status(plan.text(Field.ANSWER, event)), event.timestampNs());
        exchange.stopAwaitingNetwork(event.timestampNs());
        return exchange;
    }

    @Nullable
    Exchange trailers(ProbePlan plan, EventView event) {
        Exchange exchange = ofNghttp2(plan, event);
        if (exchange != null) {
            replied(exchange, plan, event);
        }
        return exchange;
    }

    private static void replied(Exchange exchange, ProbePlan plan, EventView event) {
        String number = plan.text(Field.GRPC_STATUS, event);
        if (!number.isEmpty()) {
            String status = GrpcStatus.name(number);
            exchange.details = exchange.details.replied(status, GrpcStatus.isOk(status) ? "" : status);
        }
    }

    private @Nullable Exchange ofNghttp2(ProbePlan plan, EventView event) {
        Session session = sessionsOfNghttp2.get(event.pid(), plan.number(Field.NGHTTP2, event, 0));
        return session == null ? null : session.get(plan.number(Field.ID, event, 0));
    }

    @Nullable
    Exchange data(ProbePlan plan, EventView event) {
        Session session = sessions.get(event.pid(), plan.number(Field.SESSION, event, 0));
        Exchange exchange = session == null ? null : session.get(plan.number(Field.ID, event, 0));
        if (exchange != null) {
            exchange.receive(plan.number(Field.BYTES, event, 0));
            handle(exchange, plan, event);
        }
        return exchange;
    }

    @Nullable
    Exchange close(ProbePlan plan, EventView event) throws IOException {
        Session session = sessions.get(event.pid(), plan.number(Field.SESSION, event, 0));
        Exchange exchange = session == null ? null : session.remove(plan.number(Field.ID, event, 0));
        if (exchange == null) {
            return null;
        }
        int code = (int) plan.number(Field.CODE, event, 0);
        long nowNs = event.timestampNs();
        // The status of gRPC comes with the end of the answer: what the stream is reset with afterwards is no failure
        // of it.
        boolean isAnswered = !exchange.isServer() && !exchange.details.reply().isEmpty();
        if ((code == 0 || isAnswered) && exchange.status != 0) {
            exchange.hasOwnEnd = !exchanges.lost().mayHideConnection(exchange.startNs, nowNs);
            exchange.endsAt(nowNs);
            exchanges.complete(exchange, nowNs);
        } else {
            String name = code >= 0 && code < CODES.length ? CODES[code] : Integer.toUnsignedString(code);
            exchange.details = exchange.details.failed(name);
            exchanges.closed(exchange, nowNs);
        }
        return exchange;
    }

    /** The session of the hit, known from now on; null = the hit has none. */
    private @Nullable Session session(ProbePlan plan, EventView event) throws IOException {
        long pointer = plan.number(Field.SESSION, event, 0);
        if (pointer == 0) {
            return null;
        }
        Connection connection = streams.ofReader(plan, event);
        Session session = sessions.get(event.pid(), pointer);
        if (session == null || session.isOver(connection)) {
            session = new Session(connection == null ? new Connection(event.pid(), 0) : connection);
            session.connection.http2 = session;
            session.connection.talk = null;
            sessions.put(event.pid(), pointer, session);
        }
        long nghttp2 = plan.number(Field.NGHTTP2, event, 0);
        if (nghttp2 != 0) {
            sessionsOfNghttp2.put(event.pid(), nghttp2, session);
        }
        return session;
    }

    /** A session from its first headers to the close of its connection. */
    static final class Session {
        /** Streams of one session that are not over; beyond it the oldest is handed out. */
        private static final int MAX_STREAMS = 1 << 10;

        private final Connection connection;
        private final Map<Long, Exchange> exchanges = new LinkedHashMap<>();

        Session(Connection connection) {
            this.connection = connection;
        }

        /** Whether its pointer is another session's by now, which reads from that connection; null = unknown. */
        private boolean isOver(@Nullable Connection of) {
            return connection.isClosed || (of != null && of != connection);
        }

        private @Nullable Exchange get(long id) {
            Exchange exchange = exchanges.get(id);
            return exchange == null || exchange.isOver ? null : exchange;
        }

        private @Nullable Exchange remove(long id) {
            Exchange exchange = exchanges.remove(id);
            return exchange == null || exchange.isOver ? null : exchange;
        }

        /** Returns what it has no room for. */
        private @Nullable Exchange add(long id, Exchange exchange) {
            exchanges.put(id, exchange);
            if (exchanges.size() <= MAX_STREAMS) {
                return null;
            }
            Map.Entry<Long, Exchange> oldest = exchanges.entrySet().iterator().next();
            exchanges.remove(oldest.getKey());
            return oldest.getValue();
        }

        /** Its connection is no more. */
        void closed(Exchanges over, long nowNs) throws IOException {
            for (Exchange exchange : exchanges.values()) {
                over.disconnected(exchange, false, nowNs);
            }
            exchanges.clear();
        }
    }
}
