package dev.probestream.convert.request;

import dev.probestream.convert.request.Request.Side;
import dev.probestream.convert.request.plan.Field;
import dev.probestream.convert.request.plan.ProbePlan;
import dev.probestream.convert.request.plan.Role;
import dev.probestream.schema.EventView;
import dev.probestream.schema.record.EventKind;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * WebSocket connections ({@link Role#WEBSOCKET_CONNECTION}) add to the request that opened them how many messages they
 * carried. The request ends with its answer, as any other; the event lasts until the connection is closed. A connection
 * whose request is not known is a request of its own, which lasts as long.
 */
final class WebSocketHits {
    static final String PROTOCOL = "websocket";

    private final Exchanges exchanges;

    WebSocketHits(Exchanges exchanges) {
        this.exchanges = exchanges;
    }

    /**
     * A connection, at the moment of its upgrade.
     *
     * @param known its connection; null = unknown
     */
    Exchange take(ProbePlan plan, EventView event, @Nullable Connection known) throws IOException {
        boolean isServer = plan.number(Field.ACCEPTED, event, 0) != 0;
        Exchange upgrade = known == null ? null : upgraded(known, isServer);
        if (upgrade != null) {
            upgrade.details = details(upgrade.details, plan, event);
            upgrade.receive(plan.number(Field.RECEIVED, event, -1));
            upgrade.sentBytes += plan.number(Field.SENT, event, 0);
            return upgrade;
        }
        Connection connection = known == null ? new Connection(event.pid(), 0) : known;
        Exchange own = exchanges.begin(
                isServer ? Side.SERVER : Side.CLIENT, null, connection, event.tid(), event.timestampNs());
        own.isOneEvent = true;
        own.isTls |= plan.number(Field.TLS, event, 0) != 0;
        own.details = details(own.details, plan, event);
        own.receivedBytes = plan.number(Field.RECEIVED, event, -1);
        own.sentBytes = plan.number(Field.SENT, event, -1);
        if (event.kind() == EventKind.SPAN) {
            long endNs = ThreadContext.endNs(event);
            own.endsAt(endNs);
            exchanges.complete(own, endNs);
        }
        return own;
    }

    /** The request whose answer upgrades the connection: the hits of its line and of this event have no order. */
    private static @Nullable Exchange upgraded(Connection connection, boolean isServer) {
        Exchange answering = connection.isUpgraded ? connection.answering : null;
        Exchange upgrade = answering == null ? connection.pending.peek() : answering;
        return upgrade == null || upgrade.isOver || upgrade.isServer() != isServer ? null : upgrade;
    }

    private static RequestDetails details(RequestDetails before, ProbePlan plan, EventView event) {
        String received = count(plan, event, Field.RECEIVED_MESSAGES, Field.RECEIVED_AT_LEAST);
        String sent = count(plan, event, Field.SENT_MESSAGES, Field.SENT_AT_LEAST);
        return before.of(PROTOCOL, before.operation())
                .answered(before.statement(), before.rows(), received + " received, " + sent + " sent", "");
    }

    private static String count(ProbePlan plan, EventView event, Field messages, Field atLeast) {
        return (plan.number(atLeast, event, 0) == 0 ? "" : "at least ") + plan.number(messages, event, 0);
    }
}
