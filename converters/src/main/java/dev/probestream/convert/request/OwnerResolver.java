package dev.probestream.convert.request;

import dev.probestream.convert.request.context.AsyncIds;
import dev.probestream.convert.request.context.Evidence;
import dev.probestream.convert.request.context.OwnerSource;
import dev.probestream.convert.request.plan.Field;
import dev.probestream.convert.request.plan.ProbePlan;
import dev.probestream.convert.request.plan.Role;
import dev.probestream.schema.EventView;
import org.jspecify.annotations.Nullable;

/**
 * Finds the request that a hit is for. Each source gives its evidence; the first that is not silent counts: a function on the
 * stack, of what continues a promise who waits for it, then the number of the npm package, else the async ids. Without any, the
 * callback that is running counts. Where the evidence contradicts itself, or allows for another request, the owner is unknown.
 *
 * <p>Numbers, as async ids, are those of the code that has made a promise or a callback. Where that ran inside of another
 * request's code, as in a queue, they are that one's; so they do not count where it was looked for who waits, and nobody was found.
 */
final class OwnerResolver {
    /** In place of the pointer to a stream: it was searched, and nobody was found. */
    private static final long NO_STREAM = 1;

    /** A bit in such a pointer: a function on the stack led to it, and not one that waits for what runs. */
    private static final long ON_STACK = 2;

    /** In place of the pointer to a stream: what runs continues a promise, and it was not searched for whom. */
    private static final long NOT_SEARCHED = ON_STACK;

    /** In place of the pointer to a stream: what runs may be another request's than what has called it. */
    private static final long UNSURE = NO_STREAM | ON_STACK;

    /** In place of the pointer to a stream: the callback that runs leads to none, and may be another request's than its async id. */
    private static final long MADE_ELSEWHERE = 4;

    private final PackageNumbers numbers;
    private final Streams streams;
    private final Exchanges exchanges;

    OwnerResolver(Streams streams, Exchanges exchanges) {
        this.streams = streams;
        this.exchanges = exchanges;
        this.numbers = new PackageNumbers(exchanges);
    }

    /** The request has been given a number. */
    @Nullable
    Exchange join(@Nullable Exchange request, ProbePlan plan, EventView event) {
        numbers.join(request, plan, event);
        return request;
    }

    /** Before the hit is dealt with: finds what it carries. */
    void before(ProbePlan plan, EventView event, ThreadContext thread) {
        if (!plan.hasContext() || plan.role() == Role.HTTP_CONTEXT) {
            return;
        }
        AsyncIds<Exchange> known = thread.asyncIds;
        if (known != null && exchanges.lost().mayHideCallback(known.begunNs(), event.timestampNs())) {
            known.loseTrack();
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
            if (thread.asyncIds != null) {
                thread.asyncIds.runs(plan.number(Field.ASYNC_ID, event, 0));
            }
            thread.evidence = evidence(plan, event, thread);
        }
    }

    /** After it: for which request the callback runs, now that all evidence of the hit is known. */
    void after(ProbePlan plan, ThreadContext thread) {
        Connection stream = thread.stream();
        if (plan.beginsHandling()) {
            numbers.handles(stream, thread.root());
        }
        AsyncIds<Exchange> ids = thread.asyncIds;
        if (ids == null || (thread.handlesPlain() && !thread.isAlone())) {
            return; // the client may serve others of its queue
        }
        if (stream != null && stream.isServer && plan.beginsHandling()) {
            return; // whose it is shows when the headers are read
        }
        ids.observe(thread.root());
        ids.trustPromisesOnly(stream != null && !stream.isServer);
        if (thread.evidence.mayMix() && thread.worker() != thread.root()) {
            ids.mix(thread.worker());
        }
    }

    /** Until when what runs at the hit was asked for, at the latest; -1 = unknown, such as of what continues a promise. */
    static long askedNs(ProbePlan plan, EventView event, ThreadContext thread) {
        AsyncIds<Exchange> ids = thread.asyncIds;
        long trigger = plan.number(Field.TRIGGER_ID, event, 0);
        return ids == null || trigger <= 0 ? -1 : ids.createdNs(trigger, event.timestampNs());
    }

    private Evidence<Exchange> evidence(ProbePlan plan, EventView event, ThreadContext thread) {
        Connection stream = thread.stream();
        Connection client = stream == null || stream.isServer || stream.isParsedByNode ? null : stream;
        boolean hasId = thread.asyncIds != null && plan.has(Field.ASYNC_ID, event);
        long id = plan.number(Field.ASYNC_ID, event, 0);
        boolean isOfPromise = hasId && id == 0;
        Evidence<Exchange> byNumber = numbers.of(plan, event, thread, client, isOfPromise);
        if (!hasId) {
            return byNumber;
        }
        long served = plan.number(Field.SERVED_STREAM, event, 0);
        if (served > MADE_ELSEWHERE) {
            OwnerSource source = (served & ON_STACK) != 0 ? OwnerSource.STACK : OwnerSource.PROMISE;
            return ofStream(streams.known(event.pid(), served & ~ON_STACK), source, thread, event.timestampNs());
        }
        if (served == UNSURE) {
            PackageNumbers.mayBeOthers(byNumber.owner());
        }
        boolean isAlone = thread.isAlone();
        boolean isSearchable = byNumber.owner() == null || byNumber.owner().connection.http2 == null;
        if ((served == UNSURE || (served == NO_STREAM && isSearchable)) && !isAlone) {
            return isOfPromise ? Evidence.unsure() : Evidence.unknown();
        }
        if (!isOfPromise) {
            Evidence<Exchange> made = byNumber.isSilent()
                    ? ofIds(id, plan.number(Field.TRIGGER_ID, event, 0), client, thread, event.timestampNs())
                    : byNumber;
            return isDoubted(served) && mayBeForAnother(made.owner(), isAlone, thread) ? Evidence.unknown() : made;
        }
        if (!byNumber.isSilent()) {
            return byNumber;
        }
        if (isAlone ? served != 0 && !thread.isOnlyFor(thread.root()) : served == NOT_SEARCHED) {
            return Evidence.unsure();
        }
        // Where the handled connection is lent, the next who waited for it may go on.
        return thread.handlesLent() && !isAlone ? Evidence.unknown() : Evidence.consistent();
    }

    private static boolean isDoubted(long served) {
        return served == UNSURE || served == NO_STREAM || served == MADE_ELSEWHERE;
    }

    /**
     * Whether this owner is known only by the code that made the callback. Streams of HTTP/2 are not searched.
     *
     * @param isAlone at most one request is open: it may be that one's, but not one's that is answered
     */
    private static boolean mayBeForAnother(@Nullable Exchange owner, boolean isAlone, ThreadContext thread) {
        if (owner == null || owner.connection.http2 != null) {
            return false;
        }
        return isAlone ? !thread.isOnlyFor(owner) : owner != thread.root();
    }

    /** A function on the stack, or one that waits for the running one, has the request that is being served on that connection. */
    private Evidence<Exchange> ofStream(
            @Nullable Connection connection, OwnerSource source, ThreadContext thread, long nowNs) {
        Exchange served = connection == null ? null : connection.beingServed(thread.callbackStartNs());
        return served == null || served.mayBeLeft(exchanges.lost(), nowNs)
                ? Evidence.unknown()
                : Evidence.ofWriter(served, source);
    }

    /**
     * Until the id of a connection's handle is known, any id in the handling of the connection may be that one. An id that was given while
     * it was recorded, and not in a callback whose owner is known, is that of something else which the running callback calls, unless that
     * may have the id itself.
     */
    private Evidence<Exchange> ofIds(
            long id, long trigger, @Nullable Connection client, ThreadContext thread, long nowNs) {
        AsyncIds<Exchange> ids = thread.asyncIds;
        Connection stream = thread.stream();
        if (stream != null) {
            stream.handleId.sees(id);
        }
        if (ids == null || (client != null && (client.handleId.is(id) || client.handleId.is(trigger)))) {
            return Evidence.silent();
        }
        Exchange byTrigger = ids.ownerOf(trigger, false);
        Exchange owner = byTrigger == null ? ids.ownerOf(id, trigger == 0) : byTrigger;
        if (owner == null) {
            boolean isAnothers = ids.isNew(id) && !thread.mayHave(id, trigger) && !thread.isOnlyFor(thread.root());
            return isAnothers ? Evidence.unknown() : Evidence.silent();
        }
        boolean isHandleKnown = client == null
                || (client.handleId.isKnown() && !exchanges.lost().mayHideConnection(0, nowNs));
        if (isHandleKnown) {
            ids.learn(id, owner);
            return Evidence.known(owner, OwnerSource.ASYNC_ID);
        }
        return owner == thread.root() ? Evidence.silent() : Evidence.unknown();
    }
}
