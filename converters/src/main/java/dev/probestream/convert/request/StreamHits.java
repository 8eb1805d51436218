package dev.probestream.convert.request;

import dev.probestream.convert.request.ThreadContext.Kind;
import dev.probestream.convert.request.context.Evidence.Certainty;
import dev.probestream.convert.request.context.OwnerSource;
import dev.probestream.convert.request.origin.Caller;
import dev.probestream.convert.request.origin.Origins;
import dev.probestream.convert.request.plan.Field;
import dev.probestream.convert.request.plan.KnownRoles;
import dev.probestream.convert.request.plan.LostHits;
import dev.probestream.convert.request.plan.ProbePlan;
import dev.probestream.schema.EventView;
import dev.probestream.schema.record.EventKind;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * What hits on streams mean: which stream a thread handles, and what is read and written. Each method returns the request
 * that the hit itself is of; null = that of its context, if there is one.
 */
final class StreamHits {
    /** Of the type uvreader: a server's parser that is between two messages. */
    private static final long SERVER = 2;

    private final KnownRoles known;
    private final PendingEdges edges;
    private final Streams streams;
    private final FirstLines lines;
    private final Messages messages;
    private final StatementHits statements;
    private final WebSocketHits webSockets;
    private final Origins origins;
    private final Exchanges exchanges;
    final Connects connects;
    final Http2Streams http2;

    StreamHits(KnownRoles known, PendingEdges edges, Exchanges exchanges, Origins origins) {
        this.known = known;
        this.edges = edges;
        this.exchanges = exchanges;
        this.streams = new Streams(exchanges, edges);
        this.lines = new FirstLines(exchanges, edges);
        this.messages = new Messages(exchanges, lines);
        this.statements = new StatementHits(exchanges, edges, origins);
        this.webSockets = new WebSocketHits(exchanges);
        this.origins = origins;
        this.connects = new Connects(exchanges, streams, origins);
        this.http2 = new Http2Streams(exchanges, streams);
    }

    /** A callback of the loop. Without the stream, the hits within show for which request it is. */
    @Nullable
    Exchange callback(ProbePlan plan, EventView event, ThreadContext thread) {
        if (!known.hasStreamCallbacks() || event.kind() == EventKind.INSTANT) {
            return null;
        }
        Connection connection = streams.of(plan, event);
        if (connection == null) {
            thread.begin(Kind.LOOP, null, event);
            return null;
        }
        connection.beginHandling(event.timestampNs());
        long endNs = ThreadContext.endNs(event);
        thread.beginStream(connection, event.timestampNs(), endNs);
        edges.add(endNs, atNs -> {
            connection.endHandling(atNs);
            thread.reached(atNs);
        });
        return null;
    }

    /** Whose bytes a parser reads: those of the stream that the hit names, else those that JavaScript feeds it. */
    private @Nullable Connection source(ProbePlan plan, EventView event, ThreadContext thread) {
        Connection named = streams.ofReader(plan, event);
        if (named != null) {
            return named;
        }
        Connection data = thread.data;
        return data == null || data.isClosed ? thread.stream() : messages.fed(plan, event, data);
    }

    /** What was read from a stream is handed to JavaScript. */
    @Nullable
    Exchange data(ProbePlan plan, EventView event, ThreadContext thread) throws IOException {
        Connection named = streams.of(plan, event);
        if (named == null) {
            return null;
        }
        Connection connection = streams.through(plan, event, named);
        thread.data = connection;
        streams.data(connection, plan, event);
        return connection.own();
    }

    @Nullable
    Exchange open(ProbePlan plan, EventView event) {
        return streams.open(plan, event);
    }

    @Nullable
    Exchange handled(ProbePlan plan, EventView event, ThreadContext thread) {
        thread.data = null;
        Connection connection = streams.of(plan, event);
        Connection handled = thread.stream();
        if (connection == null) {
            connection = handled;
        } else if (handled == null && !known.hasStreamCallbacks()) {
            // That the handling began was not seen, but this is part of it.
            connection.beginHandling(event.timestampNs());
            thread.beginStream(connection, event.timestampNs());
        }
        if (connection == null) {
            return null;
        }
        long bytes = plan.number(Field.BYTES, event, 0);
        if (bytes > 0) {
            connection.readNs = event.timestampNs();
        }
        if (known.hasTotals()) {
            Streams.handle(connection, bytes);
        } else {
            streams.read(connection, bytes, event.timestampNs());
        }
        return connection.own();
    }

    @Nullable
    Exchange write(ProbePlan plan, EventView event, ThreadContext thread) throws IOException {
        Connection connection = streams.of(plan, event);
        if (connection == null) {
            return null;
        }
        String line = plan.text(Field.LINE, event);
        if (!line.isEmpty()) {
            // The message begins with this write, whose bytes are its own.
            line(connection, line, plan, event, thread);
        }
        long result = plan.hasReturnValue(event) ? event.returnValue() : 0;
        long bytes = result == 0 ? Math.max(0, plan.number(Field.BYTES, event, 0)) : result;
        long endNs = event.kind() == EventKind.OPEN_SPAN ? event.timestampNs() : ThreadContext.endNs(event);
        PlainTalk talk = connection.talk;
        if (talk != null && bytes > 0) {
            Exchange user = user(connection, thread, plan, event);
            talk.wrote(user == null ? null : user.root(), event.timestampNs());
        }
        return streams.write(connection, bytes, event.timestampNs(), endNs);
    }

    @Nullable
    Exchange line(ProbePlan plan, EventView event, ThreadContext thread) throws IOException {
        Connection connection = streams.ofWriter(plan, event);
        return connection == null ? null : line(connection, plan.text(Field.LINE, event), plan, event, thread);
    }

    @Nullable
    Exchange lastChunk(ProbePlan plan, EventView event) {
        Connection connection = streams.ofWriter(plan, event);
        return connection == null ? null : streams.lastChunk(connection, event.timestampNs());
    }

    private @Nullable Exchange line(
            Connection connection, String text, ProbePlan plan, EventView event, ThreadContext thread)
            throws IOException {
        boolean isUsedAgain = connection.talk == null && !connection.isServer;
        boolean isOfPromise = plan.number(Field.ASYNC_ID, event, 0) == 0;
        Exchange ordering = orderer(connection, thread, isOfPromise);
        Exchange exchange = lines.written(connection, text, event, ordering);
        if (exchange != null) {
            if (!exchange.isServer() && exchange.startNs == event.timestampNs()) {
                exchange.parentSource = ordering == null ? connection.orderedBySource : thread.source();
            }
            describe(exchange, connection, plan, event);
        }
        // Without the callbacks it is not known in which of them the request was asked for.
        boolean isDated = isUsedAgain && known.hasStreamCallbacks();
        if (isDated && exchange != null && exchange.startNs == event.timestampNs()) {
            long askedNs = OwnerResolver.askedNs(plan, event, thread);
            if (askedNs >= 0) {
                exchange.details = exchange.details.waited(event.timestampNs() - askedNs);
            }
        }
        return exchange;
    }

    /** A message begins, of the request or its answer, and the hit has its trace and its caller. */
    private void describe(Exchange exchange, Connection connection, ProbePlan plan, EventView event) {
        if (exchange.details.traceId().isEmpty()) {
            exchange.details =
                    exchange.details.tracedAs(plan.text(Field.TRACE_ID, event), plan.text(Field.SPAN_ID, event));
        }
        if (!exchange.isServer() && exchange.startNs == event.timestampNs()) {
            Caller caller = origins.ofRequest(
                    event.pid(), event.tid(), connection.stream, event.stackId(), event.timestampNs());
            if (caller.equals(Caller.UNKNOWN)) {
                String target = exchange.url().toString();
                caller = origins.ofFetch(event.pid(), event.tid(), connection.stream, target, event.timestampNs());
            }
            exchange.details = exchange.details.calledBy(caller.function(), caller.packageName());
        }
    }

    /** The hit's stack is that of who asks for a connection. */
    @Nullable
    Exchange callerConnects(ProbePlan plan, EventView event) {
        origins.connects(event.pid(), plan.number(Field.STREAM, event, 0), event.stackId());
        return null;
    }

    /** The hit's stack is that of who writes. */
    @Nullable
    Exchange callerWrites(ProbePlan plan, EventView event) {
        long stream = plan.number(Field.STREAM, event, 0);
        origins.writes(event.pid(), event.tid(), stream, event.stackId(), event.timestampNs());
        return null;
    }

    /** The streams that are known. */
    Streams all() {
        return streams;
    }

    /** The hit's stack is that of who has a URL read. */
    @Nullable
    Exchange callerReadsUrl(ProbePlan plan, EventView event) {
        origins.readsUrl(event.pid(), plan.text(Field.URL, event), event.stackId());
        return null;
    }

    /** A statement to a database: whose it is shows where it is written. */
    Exchange statement(ProbePlan plan, EventView event, ThreadContext thread) throws IOException {
        Connection connection = streams.of(plan, event);
        Exchange ordering = connection == null ? thread.worker() : user(connection, thread, plan, event);
        if (isOfSeveral(plan, event, thread)) {
            ordering = null;
        }
        Exchange owner = ordering == null ? null : ordering.root();
        OwnerSource source = ordering == thread.worker() ? thread.source() : OwnerSource.CONNECTION;
        long endNs = ThreadContext.endNs(event);
        if (StatementHits.isUnmatched(event)) {
            if (connection != null && connection.talk != null) {
                connection.talk.askedUnmatched(event.timestampNs());
            }
            return statements.take(plan, event, connection, ordering, source, endNs);
        }
        if (owner == null) {
            thread.open.beginUnownedStatement();
            edges.add(endNs, atNs -> thread.open.endUnownedStatement());
        }
        PlainTalk talk = connection == null ? null : connection.talk;
        if (talk != null) {
            talk.asked(owner, plan.text(Field.OPERATION, event), plan.text(Field.REPLY, event), event.timestampNs());
            edges.add(endNs, atNs -> talk.answered(owner));
        }
        return statements.take(plan, event, connection, ordering, source, endNs);
    }

    /**
     * Whether the statement may be another's than that of the context in which it was written: a client that collects statements for
     * a while, from any requests, sends them from an immediate or a timer that the first of these requests has set, or when the ones before are answered.
     */
    private static boolean isOfSeveral(ProbePlan plan, EventView event, ThreadContext thread) {
        return plan.number(Field.BATCH, event, 1) > 1
                && (plan.number(Field.ASYNC_ID, event, 0) > 0
                        ? thread.worker() != thread.root()
                        : thread.evidence.certainty() == Certainty.CONSISTENT);
    }

    Exchange webSocket(ProbePlan plan, EventView event) throws IOException {
        return webSockets.take(plan, event, streams.of(plan, event));
    }

    /** The request that orders what is written to a connection whose first line shows that it is HTTP. */
    private static @Nullable Exchange orderer(Connection connection, ThreadContext thread, boolean isOfPromise) {
        return connection.hasSpoken() ? writer(connection, thread, isOfPromise) : thread.worker();
    }

    /**
     * The request for which the thread writes. Code that waited for the connection runs in the handling of an answer to another request:
     * what is written then is the latter's only if more than the callback shows it. A client with a parser of its own (undici) goes on with its
     * queue from an immediate, with the number of the request that made the connection, or that read the answer before.
     */
    private static @Nullable Exchange writer(Connection connection, ThreadContext thread, boolean isOfPromise) {
        boolean isHandled = thread.stream() == connection && !connection.isServer;
        Certainty certainty = thread.evidence.certainty();
        if (isHandled && certainty == Certainty.SILENT) {
            return null;
        }
        Exchange worker = thread.worker();
        boolean isOfQueue = worker != null
                && !isOfPromise
                && !connection.isParsedByNode
                && thread.evidence.source() == OwnerSource.PACKAGE
                && (worker.root() == connection.firstUser || worker.root() == connection.lastUser);
        return isOfQueue ? null : worker;
    }

    /**
     * The same of a connection that is no HTTP connection, and may be one of a pool. A client serves its queue when an answer has come: what it writes
     * then, to any of its connections, is for those who wait.
     */
    private @Nullable Exchange user(Connection connection, ThreadContext thread, ProbePlan plan, EventView event) {
        Exchange worker = thread.worker();
        PlainTalk talk = connection.talk;
        LostHits lost = exchanges.lost();
        long nowNs = event.timestampNs();
        Exchange holder = talk == null ? null : talk.holder(lost, nowNs);
        if (holder != null) {
            return holder;
        }
        boolean isHolders = PackageNumbers.isHolders(plan, event);
        if (worker == null || talk == null || (isHolders && thread.evidence.source() == OwnerSource.PACKAGE)) {
            return worker;
        }
        if (thread.evidence.isOfWriter()) {
            return worker.root().endNs() >= 0 ? null : worker;
        }
        boolean isAlone = thread.isAlone();
        boolean isOfQueue = thread.handlesPlain()
                && thread.evidence.certainty() != Certainty.KNOWN
                && (thread.stream() == connection || !isAlone);
        boolean mayBeHandedOn = talk.mayBeHandedOn(worker.root(), lost, nowNs) && !isAlone;
        boolean isAnswered = worker.root().endNs() >= 0;
        return isOfQueue || mayBeHandedOn || isAnswered ? null : worker;
    }

    /** The server's request that the hit announces: of its stream, or the one that the thread has just parsed. */
    @Nullable
    Exchange announced(ProbePlan plan, EventView event, ThreadContext thread) {
        long http2Stream = plan.number(Field.HTTP2_STREAM, event, 0);
        if (http2Stream > 0) {
            return http2.announced(http2Stream, event);
        }
        Connection named = streams.of(plan, event);
        Connection connection = named == null ? thread.stream() : named;
        Exchange newest = connection == null ? null : connection.handled;
        return newest == null || !newest.isServer() || newest.mayBeLeft(exchanges.lost(), event.timestampNs())
                ? null
                : newest;
    }

    @Nullable
    Exchange close(ProbePlan plan, EventView event) throws IOException {
        return streams.close(plan, event);
    }

    /** What was read from a stream begins a request to a server, or is handed to JavaScript. */
    @Nullable
    Exchange read(ProbePlan plan, EventView event, ThreadContext thread) throws IOException {
        if (plan.number(Field.READER, event, SERVER) != SERVER) {
            return data(plan, event, thread);
        }
        Connection connection = streams.of(plan, event);
        long bytes = plan.hasReturnValue(event) ? event.returnValue() : plan.number(Field.BYTES, event, 0);
        return connection == null ? null : lines.read(connection, plan.text(Field.LINE, event), bytes, event);
    }

    @Nullable
    Exchange messageBegins(ProbePlan plan, EventView event, ThreadContext thread) throws IOException {
        return messages.begin(plan, event, source(plan, event, thread));
    }

    @Nullable
    Exchange url(ProbePlan plan, EventView event, ThreadContext thread) throws IOException {
        return messages.url(plan, event, source(plan, event, thread));
    }

    @Nullable
    Exchange headers(ProbePlan plan, EventView event, ThreadContext thread) throws IOException {
        return messages.headers(plan, event, source(plan, event, thread));
    }

    @Nullable
    Exchange body(ProbePlan plan, EventView event, ThreadContext thread) throws IOException {
        return messages.body(plan, event, source(plan, event, thread));
    }

    @Nullable
    Exchange messageEnds(ProbePlan plan, EventView event, ThreadContext thread) throws IOException {
        return messages.end(plan, event, source(plan, event, thread));
    }
}
