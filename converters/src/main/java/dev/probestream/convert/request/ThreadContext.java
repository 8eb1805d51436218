package dev.probestream.convert.request;

import dev.probestream.convert.request.context.AsyncIds;
import dev.probestream.convert.request.context.Evidence;
import dev.probestream.convert.request.context.OwnerSource;
import dev.probestream.convert.request.split.RequestPhase;
import dev.probestream.schema.EventView;
import org.jspecify.annotations.Nullable;

/**
 * What a thread is in the midst of: handling a stream, calling back, waiting in the loop, collecting garbage, without a CPU; one within
 * the other. The innermost one that is not a pause determines the request the thread works for.
 */
final class ThreadContext implements PendingEdges.Edge {
    /** A frame on the loop's thread runs JavaScript, or could; what runs on the pool is accounted for with the work. */
    enum Kind {
        /** Of no request: the loop itself, its timers and immediates. */
        LOOP,
        STREAM,
        /** The end of some work, on the thread that asked for it. */
        CALLBACK,
        /** Work on some thread. */
        WORK,
        GC,
        /** Without a CPU, where each such time is a span. */
        OFF_CPU;

        /** Whether the thread goes on afterwards with what it was in the midst of. */
        private boolean isPause() {
            return this == GC || this == OFF_CPU;
        }
    }

    private static final int MAX_DEPTH = 64;

    private final Exchanges exchanges;
    private final PendingEdges edges;
    private final Kind[] kinds = new Kind[MAX_DEPTH];
    private final long[] startsNs = new long[MAX_DEPTH];
    private final long[] endsNs = new long[MAX_DEPTH];
    private final @Nullable Connection[] connections = new Connection[MAX_DEPTH];
    private final @Nullable Work[] works = new Work[MAX_DEPTH];
    /** What was read from it JavaScript got last in the callback that runs; null = none. */
    @Nullable
    Connection data;

    /** The owners of the async ids of its environment; null = no hit had ids. */
    @Nullable
    AsyncIds<Exchange> asyncIds;

    /** What the current hit shows of its owner; silent = the callback that runs counts. */
    Evidence<Exchange> evidence = Evidence.silent();

    /** What it serves. */
    final OpenRequests open;

    private int depth;
    private long lastNs;
    private boolean isOffCpu;

    /** Whose time is running now: the request of the stream, the one that it is for (often the same), and as what. */
    private @Nullable Exchange ownAccounted;

    private @Nullable Exchange rootAccounted;
    private RequestPhase partAccounted = RequestPhase.JAVASCRIPT;

    ThreadContext(Exchanges exchanges, OpenRequests open, PendingEdges edges) {
        this.exchanges = exchanges;
        this.open = open;
        this.edges = edges;
    }

    /** Something happens on the thread: what ended before is over, and it is on a CPU. */
    void at(long nowNs) {
        isOffCpu = false;
        evidence = Evidence.silent();
        endBefore(nowNs);
        lastNs = Math.max(lastNs, nowNs);
        account(nowNs);
    }

    void offCpu(long nowNs) {
        at(nowNs);
        isOffCpu = true;
        account(nowNs);
    }

    @Override
    public void reached(long atNs) {
        endBefore(atNs);
        account(atNs);
    }

    private void endBefore(long nowNs) {
        for (int i = 0; i < depth; i++) {
            if (endsNs[i] <= nowNs) {
                truncate(i);
            }
        }
    }

    private void truncate(int newDepth) {
        while (depth > newDepth) {
            depth--;
            connections[depth] = null;
            works[depth] = null;
        }
    }

    /** The loop begins to handle a stream. One that is innermost has lost its end, except in a loop within the loop. */
    void beginStream(Connection connection, long nowNs) {
        int top = depth;
        while (top > 0 && kinds[top - 1].isPause()) {
            top--;
        }
        if (top > 0 && kinds[top - 1] == Kind.STREAM) {
            truncate(top - 1);
        }
        push(Kind.STREAM, nowNs, Long.MAX_VALUE, connection, null);
        account(nowNs);
    }

    /** The same, of a handling whose end is known, unless it came so late that it is over. */
    void beginStream(Connection connection, long nowNs, long spanEndNs) {
        if (spanEndNs > lastNs) {
            push(Kind.STREAM, nowNs, spanEndNs, connection, null);
            account(nowNs);
        }
    }

    /** When the event is over, as far as it is recorded. */
    static long endNs(EventView event) {
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

    /** A span begins, unless it came so late that it is over. */
    void begin(Kind kind, @Nullable Work work, EventView event) {
        long spanEndNs = endNs(event);
        if (spanEndNs > lastNs) {
            push(kind, event.timestampNs(), spanEndNs, null, work);
            account(event.timestampNs());
        }
    }

    private void push(Kind kind, long startNs, long endNs, @Nullable Connection connection, @Nullable Work work) {
        if (!kind.isPause()) {
            data = null;
        }
        if (depth == MAX_DEPTH) {
            return;
        }
        // Nothing outlasts what is around it; a later time is out of order.
        long withinNs = depth == 0 ? endNs : Math.min(endNs, endsNs[depth - 1]);
        boolean matters = work != null || rootAccounted != null || root() != null;
        kinds[depth] = kind;
        startsNs[depth] = startNs;
        endsNs[depth] = withinNs;
        connections[depth] = connection;
        works[depth] = work;
        depth++;
        if (matters) {
            edges.add(withinNs, this);
        }
    }

    /** The stream that is being handled; null = none. */
    @Nullable
    Connection stream() {
        for (int i = depth - 1; i >= 0; i--) {
            switch (kinds[i]) {
                case STREAM -> {
                    return connections[i];
                }
                case LOOP, CALLBACK, WORK -> {
                    return null;
                }
                case GC, OFF_CPU -> {}
            }
        }
        return null;
    }

    /** When the callback began that runs; -1 = unknown. */
    long callbackStartNs() {
        int top = innermost();
        return top < 0 ? -1 : startsNs[top];
    }

    /** The request the thread works for, as the callback shows it that runs; null = unknown. */
    @Nullable
    Exchange root() {
        int top = innermost();
        if (top < 0) {
            return null;
        }
        Connection connection = connections[top];
        return connection == null ? rootOf(works[top]) : connection.root(exchanges.lost(), lastNs);
    }

    private static @Nullable Exchange rootOf(@Nullable Work work) {
        return work == null ? null : work.root();
    }

    /**
     * Whether the callback that runs may itself have this async id, and not only something that it calls, or have made what has it.
     *
     * @param trigger the id of what has made that
     */
    boolean mayHave(long asyncId, long trigger) {
        int top = innermost();
        Connection connection = top < 0 ? null : connections[top];
        Work work = top < 0 ? null : works[top];
        if (connection != null) {
            return connection.http2 != null || connection.handleId.mayBe(asyncId) || connection.handleId.mayBe(trigger);
        }
        return work == null || work.mayCallBackIn(asyncId, trigger);
    }

    /** As {@link OpenRequests#isAtMostOne}, and no hit was lost that may have been the begin of another one. */
    boolean isAlone() {
        return open.isAtMostOne() && !exchanges.lost().areAny(0, lastNs);
    }

    /** Likewise {@link OpenRequests#isOnly}. */
    boolean isOnlyFor(@Nullable Exchange request) {
        return open.isOnly(request) && isAlone();
    }

    /** Whether a connection of another protocol than HTTP is being handled, whose client may go on for other requests. */
    boolean handlesPlain() {
        Connection stream = stream();
        return stream != null && !stream.isServer && stream.talk != null;
    }

    /** Whether that connection is one of a pool, or another that one request at a time uses, so that others may wait for it. */
    boolean handlesLent() {
        Connection stream = stream();
        return stream != null && stream.isLent();
    }

    /** The request that the hit at hand is for; null = unknown. One that is over is for nothing any more. */
    @Nullable
    Exchange worker() {
        Exchange owner = switch (evidence.certainty()) {
            case KNOWN, UNKNOWN, UNSURE -> evidence.owner();
            case SILENT, CONSISTENT -> root();
        };
        return owner == null || owner.isOver ? null : owner;
    }

    /** By what {@link #worker} is known; null = it is not. */
    @Nullable
    OwnerSource source() {
        if (worker() == null) {
            return null;
        }
        OwnerSource shown = evidence.source();
        if (shown != null) {
            return shown;
        }
        Connection stream = stream();
        if (stream == null) {
            return OwnerSource.WORK;
        }
        return stream.isServer
                ? OwnerSource.HANDLER
                : stream.talk == null ? OwnerSource.ANSWER : OwnerSource.CONNECTION;
    }

    private int innermost() {
        int top = depth - 1;
        while (top >= 0 && kinds[top].isPause()) {
            top--;
        }
        return top;
    }

    /** To be called when the request of a stream may have changed: from now on the time is another request's. */
    void account(long nowNs) {
        int top = innermost();
        Exchange own = null;
        Exchange root = null;
        if (top >= 0 && kinds[top] != Kind.WORK) {
            Connection connection = connections[top];
            own = connection == null ? rootOf(works[top]) : connection.own();
            root = root();
        }
        RequestPhase part = part(top);
        if (own != ownAccounted || root != rootAccounted || part != partAccounted) {
            accountFor(false, nowNs);
            ownAccounted = own;
            rootAccounted = root;
            partAccounted = part;
            accountFor(true, nowNs);
        }
    }

    /** A collection counts as such also while its thread has no CPU. */
    private RequestPhase part(int top) {
        for (int i = top + 1; i < depth; i++) {
            if (kinds[i] == Kind.GC) {
                return RequestPhase.GC;
            }
        }
        return isOffCpu || top < depth - 1 ? RequestPhase.OFF_CPU : RequestPhase.JAVASCRIPT;
    }

    private void accountFor(boolean begins, long nowNs) {
        accountFor(rootAccounted, begins, nowNs);
        if (ownAccounted != rootAccounted) {
            accountFor(ownAccounted, begins, nowNs);
        }
    }

    private void accountFor(@Nullable Exchange exchange, boolean begins, long nowNs) {
        if (exchange == null) {
            return;
        }
        if (begins) {
            int top = innermost();
            exchange.sweep.begin(partAccounted, nowNs);
            // A request's begin is given by a later hit, mostly of the same handling.
            if (top >= 0 && kinds[top] == Kind.STREAM && startsNs[top] <= exchange.startNs) {
                exchange.sweep.wasDoing(partAccounted, nowNs);
            }
        } else {
            exchange.sweep.end(partAccounted, nowNs);
        }
    }
}
