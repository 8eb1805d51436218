package dev.probestream.convert.request;

import dev.probestream.convert.request.context.Evidence;
import dev.probestream.convert.request.context.OwnerSource;
import dev.probestream.convert.request.plan.Field;
import dev.probestream.convert.request.plan.ProbePlan;
import dev.probestream.schema.EventView;
import org.jspecify.annotations.Nullable;

/** Evidence of the numbers that the npm package gives requests, and V8 carries into what they do (docs/context.md). */
final class PackageNumbers {
    static final int LIMIT = 1 << 15;

    /** In the number that a pool's connection has from the request for which it was made (node/lib/request-contexts.js). */
    private static final long CONNECTION = 1 << 23;

    /** In the number with which a client sends whose pool keeps the numbers of those who wait (node/lib/request-contexts.js). */
    private static final long HOLDER = 1 << 22;

    private final PointerTable<Exchange> numbered = new PointerTable<>(LIMIT);

    /** Connections by the number of a request that is not known, in whose context they were made. */
    private final PointerTable<Connection> foreign = new PointerTable<>(LIMIT);

    private final Exchanges exchanges;
    private boolean hasNumbers;

    PackageNumbers(Exchanges exchanges) {
        this.exchanges = exchanges;
    }

    /** The request has been given a number. */
    void join(@Nullable Exchange request, ProbePlan plan, EventView event) {
        long number = plan.number(Field.CONTEXT, event, 0);
        if (number > 0) {
            hasNumbers = true;
            if (request != null) {
                numbered.put(event.pid(), number, request);
            }
        }
    }

    /** The loop has begun to handle a connection, for that request. */
    void handles(@Nullable Connection connection, @Nullable Exchange root) {
        if (hasNumbers) {
            share(connection, root);
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

    /**
     * The request that the hit is for, by the number that it carries.
     *
     * @param client the connection of another protocol than Node's http that is being handled; null = none
     * @param isOfPromise whether the hit continues a promise
     */
    Evidence<Exchange> of(
            ProbePlan plan, EventView event, ThreadContext thread, @Nullable Connection client, boolean isOfPromise) {
        if (!hasNumbers || !plan.has(Field.CONTEXT, event)) {
            return Evidence.silent();
        }
        long number = number(plan, event);
        if (number == 0) {
            return isOfPromise ? Evidence.unknown() : Evidence.silent();
        }
        Exchange owner = numbered.get(event.pid(), number & ~CONNECTION);
        if (client != null && owner == null && !isOfPromise) {
            adopt(client, number);
        }
        boolean isOfHandle = client != null && number == client.madeIn && !isOfPromise;
        boolean isSure = owner == null ? foreign.get(event.pid(), number) == null : !isShared(owner, number, event);
        if (isSure && !isOfHandle) {
            return owner == null ? Evidence.unknown() : Evidence.known(owner, OwnerSource.PACKAGE);
        }
        boolean mayBeInherited = owner != null && isOfPromise && owner != thread.root() && owner.endNs() < 0;
        return mayBeInherited ? Evidence.unknown() : Evidence.silent();
    }

    /**
     * Code that may be another request's has run with the number of this one; what it orders inherits that. Of a request of HTTP/1 this
     * does not matter: what continues a promise is searched for that.
     */
    static void mayBeOthers(@Nullable Exchange owner) {
        if (owner != null && owner.connection.http2 != null) {
            owner.isContextShared = true;
        }
    }

    /** The number that the hit carries, the mark of a pool's connection included; 0 = none. */
    static long number(ProbePlan plan, EventView event) {
        return plan.number(Field.CONTEXT, event, 0) & ~HOLDER;
    }

    /**
     * Whether the number is that of who holds the connection which is written to. Otherwise, on a connection that is lent, it may be that of
     * who has just returned it.
     */
    static boolean isHolders(ProbePlan plan, EventView event) {
        long number = plan.number(Field.CONTEXT, event, 0);
        return (number & HOLDER) != 0 && (number & CONNECTION) == 0;
    }

    /** A connection older than the capture was made by a request older than it, whose number its callbacks have. */
    private void adopt(Connection client, long number) {
        if (client.madeIn == 0 && !client.isSeenToBegin) {
            client.madeIn = number;
            foreign.put(client.pid, number, client);
        }
    }

    /** A connection may have served others where hits were lost. */
    private boolean isShared(Exchange owner, long number, EventView event) {
        return (number & CONNECTION) == 0
                ? owner.isContextShared
                : owner.isConnectionShared || exchanges.lost().mayHideTalk(owner.startNs, event.timestampNs());
    }
}
