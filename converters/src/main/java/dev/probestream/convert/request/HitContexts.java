package dev.probestream.convert.request;

import dev.probestream.convert.request.context.AsyncIds;
import dev.probestream.schema.EventView;
import org.jspecify.annotations.Nullable;

/**
 * Whom a hit is for by the asynchronous context that it carries. The number of the npm package counts more than async ids,
 * and these more than the callback that is running. What contradicts itself is nobody's.
 */
final class HitContexts {
    static final int LIMIT = 1 << 15;

    /** In the number that a pool's connection has from the request for which it was made (node/lib/request-contexts.js). */
    private static final long CONNECTION = 1 << 23;

    /** By the number that the npm package gave it. */
    private final PointerTable<Exchange> numbered = new PointerTable<>(LIMIT);

    /** Connections by the number of a request that is not known, in whose context they were made. */
    private final PointerTable<Connection> foreign = new PointerTable<>(LIMIT);

    private boolean hasNumbers;
    private final boolean areCollectionsSeen;

    /** @param areCollectionsSeen whether each garbage collection and each callback of the loop is recorded */
    HitContexts(boolean areCollectionsSeen) {
        this.areCollectionsSeen = areCollectionsSeen;
    }

    /** The thread begins to collect garbage. */
    static void collect(ThreadContext thread) {
        if (thread.asyncIds != null) {
            thread.asyncIds.collect();
        }
    }

    /** The request has been given a number. */
    @Nullable
    Exchange join(@Nullable Exchange request, ProbePlan plan, EventView event) {
        long number = plan.number(Field.CONTEXT, event, 0);
        if (number > 0) {
            hasNumbers = true;
            if (request != null) {
                numbered.put(event.pid(), number, request);
            }
        }
        return request;
    }

    /** Before the hit is dealt with: what it carries is told to the thread. */
    void before(ProbePlan plan, EventView event, ThreadContext thread) {
        if (!plan.tellsContext() || plan.role() == Role.HTTP_CONTEXT) {
            return;
        }
        long counter = plan.number(Field.ASYNC_COUNTER, event, 0);
        if (counter > 0) { // 0: the thread runs no JavaScript, or it is not known where it counts
            AsyncIds<Exchange> ids = thread.asyncIds;
            if (ids == null) {
                ids = new AsyncIds<>();
                thread.asyncIds = ids;
            }
            ids.begin(counter, plan.number(Field.ALLOCATED, event, 0), event.timestampNs());
            if (plan.beginsHandling()) {
                ids.handle(event.timestampNs());
            }
        }
        if (!plan.beginsCallback()) {
            weigh(plan, event, thread);
        }
    }

    /** After it: for whom the callback runs, now that the hit has told all it can. */
    void after(ProbePlan plan, ThreadContext thread) {
        if (hasNumbers && plan.beginsHandling()) {
            share(thread.stream(), thread.root());
        }
        AsyncIds<Exchange> ids = thread.asyncIds;
        if (ids == null) {
            return;
        }
        Connection stream = thread.stream();
        if (stream != null && stream.isServer && plan.beginsHandling()) {
            return; // whose it is shows when the headers are read
        }
        ids.observe(thread.root());
        ids.trustPromisesOnly(stream != null && !stream.isServer);
        if (areCollectionsSeen && stream != null && stream.isServer) {
            ids.trustObjects();
        }
        if (thread.worker() != thread.root()) {
            ids.mix();
        }
    }

    /** A connection older than the capture was made by a request older than it, whose number its callbacks have. */
    private void adopt(Connection client, long number) {
        if (client.madeIn == 0 && !client.isSeenToBegin) {
            client.madeIn = number;
            foreign.put(client.pid, number, client);
        }
    }

    /** Callbacks of a connection run in the context in which it was made, whomever they are for; Node's http alone sees to it. */
    private void share(@Nullable Connection client, @Nullable Exchange root) {
        if (client == null || client.isServer || client.isParsedByNode || client.madeIn == 0) {
            return;
        }
        Exchange maker = numbered.get(client.pid, client.madeIn & ~CONNECTION);
        if (maker != null && maker != root) {
            maker.isConnectionShared = true;
            maker.isContextShared |= (client.madeIn & CONNECTION) == 0;
        }
    }

    private static boolean isShared(Exchange owner, long number) {
        return (number & CONNECTION) == 0 ? owner.isContextShared : owner.isConnectionShared;
    }

    /** Until when what runs at the hit was asked for, at the latest; -1 = unknown. */
    static long askedNs(ProbePlan plan, EventView event, ThreadContext thread) {
        AsyncIds<Exchange> ids = thread.asyncIds;
        long id = plan.number(Field.ASYNC_ID, event, 0);
        if (ids == null || id <= 0) {
            return -1;
        }
        long nowNs = event.timestampNs();
        long triggerNs = ids.createdNs(plan.number(Field.TRIGGER_ID, event, 0), nowNs);
        return triggerNs >= 0 ? triggerNs : ids.createdNs(id, nowNs);
    }

    private void weigh(ProbePlan plan, EventView event, ThreadContext thread) {
        Connection stream = thread.stream();
        Connection client = stream == null || stream.isServer || stream.isParsedByNode ? null : stream;
        boolean tellsId = thread.asyncIds != null && plan.has(Field.ASYNC_ID, event);
        boolean isOfPromise = tellsId && plan.number(Field.ASYNC_ID, event, 0) == 0;
        if (hasNumbers && plan.has(Field.CONTEXT, event)) {
            long number = plan.number(Field.CONTEXT, event, 0);
            Exchange owner = number == 0 ? null : numbered.get(event.pid(), number & ~CONNECTION);
            if (client != null && number > 0 && owner == null && !isOfPromise) {
                adopt(client, number);
            }
            boolean isOfHandle = client != null && number == client.madeIn && !isOfPromise;
            boolean isSure = owner == null ? foreign.get(event.pid(), number) == null : !isShared(owner, number);
            if (number > 0 ? isSure && !isOfHandle : isOfPromise) {
                thread.tell(owner);
                return;
            }
            if (owner != null && isOfPromise && owner != thread.root() && owner.endNs() < 0) {
                thread.tell(null); // its own, or that of one who inherited its context
                return;
            }
        }
        if (isOfPromise) {
            weighMicrotask(plan.number(Field.MICROTASK, event, 0), plan.number(Field.ASYNC_FUNCTION, event, 0), thread);
        } else if (tellsId) {
            weighIds(plan.number(Field.ASYNC_ID, event, 0), plan.number(Field.TRIGGER_ID, event, 0), client, thread);
        }
    }

    /**
     * What continues a promise is for the request in whose handler it was awaited, or its async function called, whatever callback
     * it follows from. A queue that a request began to serve goes on for others, though, when that request has been answered.
     */
    private void weighMicrotask(long microtask, long asyncFunction, ThreadContext thread) {
        AsyncIds<Exchange> ids = thread.asyncIds;
        Exchange awaited = ids == null || !areCollectionsSeen ? null : ids.makerOf(microtask);
        Exchange called = ids == null || !areCollectionsSeen ? null : ids.makerOf(asyncFunction);
        Exchange known = called == null ? awaited : called;
        Exchange root = thread.root();
        if (known == null && isOlder(microtask, asyncFunction, thread)) {
            thread.tell(null);
        } else if (known == null || known.endNs() >= 0) {
            thread.confirm();
        } else if ((awaited != null && awaited != known) || (root != null && root != known)) {
            thread.tell(null);
        } else {
            thread.tell(known);
        }
    }

    /** Whether what goes on began before the request whose headers the callback has read: for another one, which waited for it. */
    private boolean isOlder(long microtask, long asyncFunction, ThreadContext thread) {
        AsyncIds<Exchange> ids = thread.asyncIds;
        Connection stream = thread.stream();
        Exchange request = thread.root();
        return areCollectionsSeen
                && ids != null
                && stream != null
                && stream.isServer
                && request != null
                && request.startNs >= ids.handlingNs()
                && microtask != 0
                && !ids.mayBeMadeNow(microtask)
                && (asyncFunction == 0 || !ids.mayBeMadeNow(asyncFunction));
    }

    /** Until the id of a connection's handle is known, any id in the handling of the connection may be that one. */
    private static void weighIds(long id, long trigger, @Nullable Connection client, ThreadContext thread) {
        AsyncIds<Exchange> ids = thread.asyncIds;
        if (client != null) {
            client.handleId.sees(id);
        }
        if (ids == null || (client != null && (client.handleId.is(id) || client.handleId.is(trigger)))) {
            return;
        }
        Exchange byTrigger = ids.ownerOf(trigger, false);
        Exchange owner = byTrigger == null ? ids.ownerOf(id, trigger == 0) : byTrigger;
        if (owner == null) {
            return;
        }
        if (client == null || client.handleId.isKnown()) {
            ids.learn(id, owner);
            thread.tell(owner);
        } else if (owner != thread.root()) {
            thread.tell(null);
        }
    }
}
