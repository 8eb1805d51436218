package dev.probestream.convert.request;

import dev.probestream.convert.request.ThreadContext.Kind;
import dev.probestream.convert.request.context.OwnerSource;
import dev.probestream.convert.request.origin.Callers;
import dev.probestream.convert.request.origin.Origins;
import dev.probestream.convert.request.plan.KnownRoles;
import dev.probestream.convert.request.plan.LostHits;
import dev.probestream.convert.request.plan.ProbePlan;
import dev.probestream.convert.request.plan.Role;
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
    private final Origins origins;
    private StreamHits streams;
    private WorkHits works;
    private OwnerResolver owners;
    private PointerTable<ThreadContext> threads = new PointerTable<>(MAX_THREADS);
    private @Nullable ProbePlan[] plans = new ProbePlan[64];
    private long latestNs;
    private OwnerSource source = OwnerSource.MESSAGE;

    /** Starts without knowing any probe or stack. */
    public RequestAssembler(RequestHandler handler) {
        this(handler, new Callers());
    }

    /** Starts without knowing any probe; with the callers that the capture's stacks show. */
    public RequestAssembler(RequestHandler handler, Callers callers) {
        this.exchanges = new Exchanges(handler, known);
        this.origins = new Origins(callers);
        this.streams = new StreamHits(known, edges, exchanges, origins);
        this.works = new WorkHits(edges, exchanges, origins.names());
        this.owners = new OwnerResolver(streams.all(), exchanges);
    }

    /**
     * Outside of the times at which hits were lost none is missing, so that what follows from the absence of hits is known. To be called before the first
     * event.
     */
    public void trustAbsence() {
        exchanges.trustAbsence();
    }

    /** When hits were lost: requests and answers may not have been seen. Shared: losses that are found later may be added. */
    public void lost(LostHits lost) {
        exchanges.lost(lost);
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

    /** Whether the hits of that set show what connections do: without them, what is under way is unknown. */
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

    /** By what the request of the latest event was found; of no meaning if it has none. */
    public OwnerSource source() {
        return source;
    }

    private static OwnerSource source(ThreadContext thread) {
        OwnerSource known = thread.source();
        return known == null ? OwnerSource.MESSAGE : known;
    }

    private long inContext(int pid, int tid, long nowNs) {
        ThreadContext thread = threads.get(pid, tid);
        if (thread == null) {
            return NONE;
        }
        thread.at(nowNs);
        source = source(thread);
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
        source = source(leaving);
        return number(leaving.root());
    }

    private long planned(ProbePlan plan, EventView event, long nowNs) throws IOException {
        ThreadContext thread = threads.get(event.pid(), event.tid());
        if (thread == null && plan.role() == Role.SCHED_OFF) {
            return NONE; // most threads do nothing else that is known
        }
        if (thread == null) {
            thread = new ThreadContext(exchanges, exchanges.openOn(event.pid(), event.tid()), edges);
            threads.put(event.pid(), event.tid(), thread);
        }
        thread.at(nowNs);
        Role role = plan.role();
        owners.before(plan, event, thread);
        Exchange exchange = role == null ? works.flow(plan, event, thread) : take(role, plan, event, thread);
        owners.after(plan, thread);
        thread.account(nowNs);
        if (exchange != null && role != null && role.isOfStreams() && mayBeAnothers(exchange, nowNs)) {
            return NONE;
        }
        source = exchange == null
                ? source(thread)
                : role == null || role.isOfWork() ? OwnerSource.WORK : OwnerSource.MESSAGE;
        return number(exchange == null ? thread.worker() : exchange);
    }

    /** Whether the request is known as the current one of its connection by an earlier hit, and hits were lost since. */
    private boolean mayBeAnothers(Exchange exchange, long nowNs) {
        return !exchange.isOneEvent && nowNs > exchange.startNs && exchange.mayBeLeft(exchanges.lost(), nowNs);
    }

    /** The request that the hit itself is of; null = that of its context, if there is one. */
    private @Nullable Exchange take(Role role, ProbePlan plan, EventView event, ThreadContext thread)
            throws IOException {
        return switch (role) {
            case STREAM_OPEN -> streams.open(plan, event);
            case STREAM_ACCEPT -> streams.connects.accept(plan, event);
            case STREAM_CONNECT -> streams.connects.connect(plan, event, thread);
            case STREAM_CONNECTED -> streams.connects.connected(plan, event);
            case STREAM_READ -> streams.handled(plan, event, thread);
            case STREAM_WRITE -> streams.write(plan, event, thread);
            case STREAM_CLOSE -> streams.close(plan, event);
            case STREAM_DATA -> streams.data(plan, event, thread);
            case HTTP_READ -> streams.read(plan, event, thread);
            case HTTP_BEGIN -> streams.messageBegins(plan, event, thread);
            case HTTP_URL -> streams.url(plan, event, thread);
            case HTTP_HEADERS -> streams.headers(plan, event, thread);
            case HTTP_BODY -> streams.body(plan, event, thread);
            case HTTP_END -> streams.messageEnds(plan, event, thread);
            case HTTP_LINE -> streams.line(plan, event, thread);
            case HTTP_LASTCHUNK -> streams.lastChunk(plan, event);
            case HTTP2_REQUEST -> streams.http2.request(plan, event, thread);
            case HTTP2_HEADERS -> streams.http2.headers(plan, event);
            case HTTP2_FIELD -> streams.http2.field(plan, event);
            case HTTP2_STATUS -> streams.http2.status(plan, event);
            case HTTP2_ANSWER -> streams.http2.answer(plan, event);
            case HTTP2_TRAILERS -> streams.http2.trailers(plan, event);
            case HTTP2_DATA -> streams.http2.data(plan, event);
            case HTTP2_CLOSE -> streams.http2.close(plan, event);
            case DB_STATEMENT -> streams.statement(plan, event, thread);
            case WEBSOCKET_CONNECTION -> streams.webSocket(plan, event);
            case HTTP_CONTEXT -> owners.join(streams.announced(plan, event, thread), plan, event);
            case CALLER_CONNECT -> streams.callerConnects(plan, event);
            case CALLER_WRITE -> streams.callerWrites(plan, event);
            case CALLER_URL -> streams.callerReadsUrl(plan, event);
            case POOL_SUBMIT -> works.submit(plan, event, thread);
            case POOL_WORK -> works.run(plan, event, thread);
            case POOL_DONE -> works.done(plan, event, thread);
            case DNS_QUERY -> works.query(plan, event, thread);
            case DNS_END -> works.queried(plan, event, thread);
            case DNS_ANSWER -> works.answered(plan, event);
            case LOOP_POLL, LOOP_PHASE -> begin(Kind.LOOP, event, thread);
            case LOOP_WAIT -> null;
            case LOOP_CALLBACK -> streams.callback(plan, event, thread);
            case GC_PAUSE -> begin(Kind.GC, event, thread);
            case SCHED_OFF -> begin(Kind.OFF_CPU, event, thread);
        };
    }

    private static @Nullable Exchange begin(Kind kind, EventView event, ThreadContext thread) {
        thread.begin(kind, null, event);
        return null;
    }

    /**
     * From then on the probes were not watched for a while: hands out what is under way, and forgets the connections, whose
     * pointers may be those of others afterwards.
     */
    public void interrupt(long monotonicNs) throws IOException {
        long atNs = Math.max(0, monotonicNs);
        edges.reach(atNs);
        streams.connects.finish(atNs);
        exchanges.interrupt(atNs);
        origins.forgetStreams();
        streams = new StreamHits(known, edges, exchanges, origins);
        works = new WorkHits(edges, exchanges, origins.names());
        owners = new OwnerResolver(streams.all(), exchanges);
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
        streams.connects.finish(endNs);
        exchanges.finish(endNs);
    }
}
