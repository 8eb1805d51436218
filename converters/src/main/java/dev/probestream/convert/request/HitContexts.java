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

    /** By the number that the npm package gave it. */
    private final PointerTable<Exchange> numbered = new PointerTable<>(LIMIT);

    private boolean hasNumbers;

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
            ids.begin(counter, event.timestampNs());
        }
        if (!plan.beginsCallback()) {
            weigh(plan, event, thread);
        }
    }

    /** After it: for whom the callback runs, now that the hit has told all it can. */
    void after(ProbePlan plan, ThreadContext thread) {
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
        if (thread.worker() != thread.root()) {
            ids.mix();
        }
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
            boolean isOfHandle = client != null && number == client.madeIn && !isOfPromise;
            if (number > 0 ? !isOfHandle : isOfPromise) {
                thread.tell(number > 0 ? numbered.get(event.pid(), number) : null);
                return;
            }
        }
        if (isOfPromise) {
            thread.confirm();
        } else if (tellsId) {
            weighIds(plan.number(Field.ASYNC_ID, event, 0), plan.number(Field.TRIGGER_ID, event, 0), client, thread);
        }
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
