package dev.probestream.convert.request;

import dev.probestream.convert.request.ThreadContext.Kind;
import dev.probestream.schema.EventView;
import dev.probestream.schema.SwitchEvent;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.Probe;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the requests of one capture. Fed with its probes, then with its events in the order of their start (those of one
 * thread must be; others may be late); bounded memory: what is known of connections and of work under way.
 *
 * <p>Spans that come when they are over, as a live capture brings them, are complete themselves, but the request of the
 * events within them is not known. Which event belongs to which request is described in docs/requests.md.
 */
public final class RequestAssembler {
    /** The event belongs to no request that is known. */
    public static final long NONE = 0;

    private static final int MAX_THREADS = 1 << 14;
    private static final int MAX_PROBE_ID = 1 << 20;

    private final KnownRoles known = new KnownRoles();
    private final PendingEdges edges = new PendingEdges();
    private final Set<String> connectionCategories = new HashSet<>();
    private final Exchanges exchanges;
    private final Statements statements;
    private Streams streams;
    private Messages messages;
    private WorkTable works = new WorkTable();
    private PointerTable<ThreadContext> threads = new PointerTable<>(MAX_THREADS);
    private @Nullable ProbePlan[] plans = new ProbePlan[64];
    private long latestNs;

    /** Starts without knowing any probe. */
    public RequestAssembler(RequestHandler handler) {
        this.exchanges = new Exchanges(handler, known);
        this.streams = new Streams(exchanges, edges);
        this.messages = new Messages(exchanges, edges);
        this.statements = new Statements(exchanges, edges);
    }

    /** What the events of this probe mean. Borrowed. */
    public void probe(Probe probe) {
        int id = probe.getProbeId();
        if (probe.getKind() == EventKind.SWITCH) {
            known.addSwitches();
        }
        if (id < 0 || id > MAX_PROBE_ID) {
            return;
        }
        if (Role.ofSpelling(probe.getRole()).filter(Role::isOfConnections).isPresent()) {
            connectionCategories.add(probe.getCategory());
        }
        ProbePlan.of(probe).ifPresent(plan -> {
            known.add(plan);
            if (id >= plans.length) {
                plans = Arrays.copyOf(plans, Math.max(id + 1, 2 * plans.length));
            }
            plans[id] = plan;
        });
    }

    /** Whether the hits of that set tell what connections do: without them, what is under way is unknown. */
    public boolean dependsOn(String category) {
        return connectionCategories.contains(category);
    }

    /** The number of the request that the event belongs to, or {@link #NONE}. The view is borrowed for the call. */
    public long event(EventView event) throws IOException {
        long nowNs = event.timestampNs();
        if (nowNs < 0) {
            return NONE; // not a time of any clock
        }
        latestNs = Math.max(latestNs, nowNs);
        edges.reach(nowNs);
        return switch (event.kind()) {
            case SWITCH -> switched(event, nowNs);
            // An interrupt wakes others, too, whatever the thread was doing.
            case WAKING -> NONE;
            case INSTANT, SPAN, OPEN_SPAN, COUNTER -> {
                int id = event.probeId();
                ProbePlan plan = id >= 0 && id < plans.length ? plans[id] : null;
                yield plan == null ? inContext(event.pid(), event.tid(), nowNs) : planned(plan, event, nowNs);
            }
        };
    }

    private long inContext(int pid, int tid, long nowNs) {
        ThreadContext thread = threads.get(pid, tid);
        if (thread == null) {
            return NONE;
        }
        thread.at(nowNs);
        return number(thread.root());
    }

    private static long number(@Nullable Exchange exchange) {
        return exchange == null ? NONE : exchange.number;
    }

    private long switched(EventView event, long nowNs) {
        if (SwitchEvent.hasNumbers(event)) {
            ThreadContext next = threads.get(SwitchEvent.nextPid(event), SwitchEvent.nextTid(event));
            if (next != null) {
                next.at(nowNs);
            }
        }
        ThreadContext leaving = threads.get(event.pid(), event.tid());
        if (leaving == null) {
            return NONE;
        }
        leaving.offCpu(nowNs);
        return number(leaving.root());
    }

    private long planned(ProbePlan plan, EventView event, long nowNs) throws IOException {
        ThreadContext thread = threads.get(event.pid(), event.tid());
        if (thread == null && plan.role() == Role.SCHED_OFF) {
            return NONE; // most threads do nothing else that is known
        }
        if (thread == null) {
            thread = new ThreadContext(event.pid(), event.tid(), edges);
            threads.put(event.pid(), event.tid(), thread);
        }
        thread.at(nowNs);
        Role role = plan.role();
        Exchange exchange = role == null ? flow(plan, event, thread) : take(role, plan, event, thread);
        thread.account(nowNs);
        return number(exchange == null ? thread.root() : exchange);
    }

    /** When the event is over, as far as it is recorded. */
    private static long endNs(EventView event) {
        long startNs = event.timestampNs();
        return switch (event.kind()) {
            case SPAN -> {
                long endNs = startNs + Math.max(0, event.durationNs());
                yield endNs < startNs ? Long.MAX_VALUE : endNs;
            }
            case OPEN_SPAN -> event.durationNs() < 0 ? Long.MAX_VALUE : startNs + event.durationNs();
            case INSTANT, COUNTER, SWITCH, WAKING -> startNs;
        };
    }

    /** The request that the hit itself is of; null = that of its context, if there is one. */
    private @Nullable Exchange take(Role role, ProbePlan plan, EventView event, ThreadContext thread)
            throws IOException {
        return switch (role) {
            case STREAM_BEGIN -> beginStream(streams.of(plan, event), thread, event.timestampNs());
            case STREAM_END -> endStream(thread, event.timestampNs());
            case STREAM_OPEN -> open(plan, event);
            case STREAM_ACCEPT -> accept(plan, event);
            case STREAM_CONNECT -> connect(plan, event, thread);
            case STREAM_CONNECTED -> connected(plan, event);
            case STREAM_READ -> read(plan, event, thread);
            case STREAM_WRITE -> write(plan, event, thread);
            case STREAM_CLOSE -> streams.close(plan, event);
            case STREAM_DATA -> data(plan, event, thread);
            case TLS_READ -> pair(plan, event, thread.stream());
            case HTTP_BEGIN -> messages.begin(plan, event, source(plan, event, thread));
            case HTTP_URL -> messages.url(plan, event, source(plan, event, thread));
            case HTTP_HEADERS -> messages.headers(plan, event, source(plan, event, thread));
            case HTTP_BODY -> messages.body(plan, event, source(plan, event, thread));
            case HTTP_END -> messages.end(plan, event, source(plan, event, thread));
            case HTTP_LINE -> line(plan, event, thread);
            case DB_STATEMENT -> statement(plan, event, thread);
            case POOL_SUBMIT -> submit(plan, event, thread);
            case POOL_WORK -> run(plan, event, thread);
            case POOL_DONE -> done(plan, event, thread);
            case LOOP_POLL, LOOP_PHASE -> begin(Kind.LOOP, null, event, thread);
            case LOOP_CALLBACK -> callback(plan, event, thread);
            case GC_PAUSE -> begin(Kind.GC, null, event, thread);
            case SCHED_OFF -> begin(Kind.OFF_CPU, null, event, thread);
        };
    }

    private static @Nullable Exchange begin(
            Kind kind, @Nullable Exchange exchange, EventView event, ThreadContext thread) {
        thread.begin(kind, exchange, event.timestampNs(), endNs(event));
        return exchange;
    }

    private static @Nullable Exchange beginStream(@Nullable Connection connection, ThreadContext thread, long nowNs) {
        if (connection != null) {
            connection.beginHandling();
            thread.beginStream(connection, nowNs);
        }
        return null;
    }

    /** A callback of the loop. Without the stream, the hits within show for which request it is. */
    private @Nullable Exchange callback(ProbePlan plan, EventView event, ThreadContext thread) {
        if (!known.hasStreamCallbacks() || event.kind() == EventKind.INSTANT) {
            return null;
        }
        Connection connection = streams.of(plan, event);
        if (connection == null) {
            return begin(Kind.LOOP, null, event, thread);
        }
        connection.beginHandling();
        long endNs = endNs(event);
        thread.beginStream(connection, event.timestampNs(), endNs);
        edges.add(endNs, connection::endHandling);
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
    private @Nullable Exchange data(ProbePlan plan, EventView event, ThreadContext thread) {
        Connection named = streams.of(plan, event);
        if (named == null) {
            return null;
        }
        Connection connection = streams.through(plan, event, named);
        thread.data = connection;
        streams.data(connection, plan, event);
        return connection.own();
    }

    private static @Nullable Exchange endStream(ThreadContext thread, long nowNs) {
        Exchange root = thread.root();
        Connection ended = thread.endStream(nowNs);
        if (ended != null) {
            ended.endHandling(nowNs);
        }
        return root;
    }

    private @Nullable Exchange open(ProbePlan plan, EventView event) {
        streams.open(plan, event);
        return null;
    }

    private @Nullable Exchange accept(ProbePlan plan, EventView event) throws IOException {
        Connection accepted = streams.renew(plan, event);
        if (accepted != null) {
            accepted.isServer = true;
        }
        return null;
    }

    private @Nullable Exchange connect(ProbePlan plan, EventView event, ThreadContext thread) throws IOException {
        Exchange root = thread.root();
        Connection connection = streams.renew(plan, event);
        if (connection != null && root != null) {
            connection.beginConnecting(root, event.timestampNs());
        }
        return root;
    }

    private @Nullable Exchange connected(ProbePlan plan, EventView event) {
        Connection connection = streams.of(plan, event);
        if (connection != null) {
            connection.endConnecting(event.timestampNs());
        }
        return null;
    }

    private @Nullable Exchange pair(ProbePlan plan, EventView event, @Nullable Connection handled) {
        long tls = plan.number(Field.TLS, event, 0);
        if (handled != null && tls != 0) {
            streams.pair(tls, handled);
        }
        return null;
    }

    private @Nullable Exchange read(ProbePlan plan, EventView event, ThreadContext thread) {
        Connection connection = streams.of(plan, event);
        Connection handled = thread.stream();
        if (connection == null) {
            connection = handled;
        } else if (handled == null && !known.hasStreamCallbacks()) {
            // That the handling began was not seen, but this is part of it.
            beginStream(connection, thread, event.timestampNs());
        }
        if (connection == null) {
            return null;
        }
        long bytes = plan.number(Field.BYTES, event, 0);
        if (known.tellsTotals()) {
            Streams.handle(connection, bytes);
        } else {
            streams.read(connection, bytes, event.timestampNs());
        }
        return connection.own();
    }

    private @Nullable Exchange write(ProbePlan plan, EventView event, ThreadContext thread) throws IOException {
        Connection connection = streams.of(plan, event);
        if (connection == null) {
            return null;
        }
        String line = plan.text(Field.LINE, event);
        if (!line.isEmpty()) {
            // The message begins with this write, whose bytes are its own.
            messages.line(connection, line, event, thread.root());
        }
        long result = plan.hasReturnValue(event) ? event.returnValue() : 0;
        long bytes = result == 0 ? Math.max(0, plan.number(Field.BYTES, event, 0)) : result;
        long endNs = event.kind() == EventKind.OPEN_SPAN ? event.timestampNs() : endNs(event);
        return streams.write(connection, bytes, event.timestampNs(), endNs);
    }

    private @Nullable Exchange line(ProbePlan plan, EventView event, ThreadContext thread) throws IOException {
        Connection connection = streams.ofWriter(plan, event);
        return connection == null
                ? null
                : messages.line(connection, plan.text(Field.LINE, event), event, thread.root());
    }

    private Exchange statement(ProbePlan plan, EventView event, ThreadContext thread) throws IOException {
        return statements.take(plan, event, streams.of(plan, event), thread.root(), endNs(event));
    }

    private @Nullable Exchange submit(ProbePlan plan, EventView event, ThreadContext thread) {
        long request = plan.number(Field.REQUEST, event, 0);
        if (request != 0) {
            works.submit(event.pid(), request, thread.root(), event.tid(), event.timestampNs());
        }
        return null;
    }

    private @Nullable Exchange run(ProbePlan plan, EventView event, ThreadContext thread) {
        Work work = works.get(event.pid(), plan.number(Field.REQUEST, event, 0));
        if (work == null) {
            return null;
        }
        work.run(event.timestampNs(), endNs(event), edges);
        return begin(Kind.WORK, work.root(), event, thread);
    }

    private @Nullable Exchange done(ProbePlan plan, EventView event, ThreadContext thread) {
        Work work = works.end(event.pid(), plan.number(Field.REQUEST, event, 0), event.timestampNs());
        return begin(Kind.CALLBACK, work == null ? null : work.root(), event, thread);
    }

    private @Nullable Exchange flow(ProbePlan plan, EventView event, ThreadContext thread) {
        long value = plan.flowValue(event);
        if (value == 0) {
            return null;
        }
        long nowNs = event.timestampNs();
        Work work = switch (plan.flow()) {
            case NONE -> null;
            case START -> {
                works.start(event.pid(), value, thread.root(), event.tid(), nowNs);
                yield null;
            }
            case STEP -> works.get(event.pid(), value);
            case END -> works.end(event.pid(), value, nowNs);
        };
        if (work == null) {
            return null;
        }
        Kind kind = event.tid() == work.callerTid() ? Kind.CALLBACK : Kind.WORK;
        return begin(kind, work.root(), event, thread);
    }

    /**
     * From then on the probes were not watched for a while: hands out what is under way, and forgets the connections, whose
     * pointers may be those of others afterwards.
     */
    public void interrupt(long monotonicNs) throws IOException {
        long atNs = Math.max(0, monotonicNs);
        edges.reach(atNs);
        exchanges.finish(atNs);
        streams = new Streams(exchanges, edges);
        messages = new Messages(exchanges, edges);
        works = new WorkTable();
        threads = new PointerTable<>(MAX_THREADS);
    }

    /** Hands out answered requests that have been quiet since then: for live output, which cannot wait for the connection's next message. */
    public void quietSince(long monotonicNs) throws IOException {
        exchanges.quietSince(monotonicNs);
    }

    /** The capture ended then: hands out all that is not over. */
    public void finish(long monotonicNs) throws IOException {
        long endNs = Math.max(latestNs, monotonicNs);
        edges.reach(endNs);
        exchanges.finish(endNs);
    }
}
