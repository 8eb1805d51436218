package dev.probestream.convert.request;

import dev.probestream.convert.request.Request.Side;
import dev.probestream.convert.request.context.OwnerSource;
import dev.probestream.convert.request.origin.Caller;
import dev.probestream.convert.request.origin.Origins;
import dev.probestream.convert.request.plan.Field;
import dev.probestream.convert.request.plan.ProbePlan;
import dev.probestream.convert.request.plan.Role;
import dev.probestream.convert.request.split.RequestPhase;
import dev.probestream.schema.EventView;
import dev.probestream.schema.record.EventKind;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Statements to databases become requests of a client. One event has all of a statement ({@link Role#DB_STATEMENT}):
 * only those are kept that were not answered when the capture ended.
 */
final class StatementHits {
    private final Exchanges exchanges;
    private final PendingEdges edges;
    private final Origins origins;

    StatementHits(Exchanges exchanges, PendingEdges edges, Origins origins) {
        this.exchanges = exchanges;
        this.edges = edges;
        this.origins = origins;
    }

    /**
     * A statement.
     *
     * @param known its connection; null = unknown
     * @param root the request that the writing thread worked for; null = unknown
     * @param source by what the request is known
     */
    Exchange take(
            ProbePlan plan,
            EventView event,
            @Nullable Connection known,
            @Nullable Exchange root,
            @Nullable OwnerSource source,
            long endNs)
            throws IOException {
        long startNs = event.timestampNs();
        Exchange parent = root != null && root.isServer() ? root : null;
        Connection connection = known == null ? unknown(plan, event) : known;
        Exchange statement = exchanges.begin(Side.CLIENT, parent, connection, event.tid(), startNs);
        statement.parentSource = source;
        statement.isOneEvent = true;
        statement.isTls |= plan.number(Field.TLS, event, 0) != 0;
        statement.sentBytes = plan.number(Field.SENT, event, -1);
        statement.receivedBytes = plan.number(Field.RECEIVED, event, -1);
        Caller caller = origins.ofStatement(event.pid(), event.tid(), connection.stream, event.stackId(), startNs);
        statement.details = details(plan, event).calledBy(caller.function(), caller.packageName());
        if (isUnmatched(event)) {
            exchanges.unmatched(statement, startNs);
            return statement;
        }
        statement.sweep.begin(RequestPhase.NETWORK, startNs);
        if (parent != null) {
            parent.sweep.begin(RequestPhase.NETWORK, startNs);
            edges.add(endNs, atNs -> parent.sweep.end(RequestPhase.NETWORK, atNs));
        }
        if (event.kind() == EventKind.SPAN) {
            over(statement, endNs);
        }
        return statement;
    }

    /** Whether it is not known when the statement was answered: an open span without a duration. */
    static boolean isUnmatched(EventView event) {
        return event.kind() == EventKind.OPEN_SPAN && event.durationNs() == 0;
    }

    private static Connection unknown(ProbePlan plan, EventView event) {
        Connection connection = new Connection(event.pid(), 0);
        connection.remote = plan.text(Field.REMOTE, event);
        return connection;
    }

    private void over(Exchange statement, long endNs) throws IOException {
        if (statement.details.reply().isEmpty() && isEndOfConnection(statement.details.errorCode())) {
            exchanges.closed(statement, endNs);
        } else {
            statement.endsAt(endNs);
            exchanges.complete(statement, endNs);
        }
    }

    /** As the collector names it: "closed", "EOF" or ECONNRESET; no database's error begins so. */
    private static boolean isEndOfConnection(String errorCode) {
        return errorCode.isEmpty() || errorCode.equals("closed") || errorCode.startsWith("E");
    }

    private static RequestDetails details(ProbePlan plan, EventView event) {
        String protocol = plan.text(Field.PROTOCOL, event);
        return RequestDetails.EMPTY
                .of(protocol, plan.text(Field.OPERATION, event))
                .ofDatabase(plan.database(protocol))
                .answered(
                        plan.text(Field.STATEMENT, event),
                        plan.number(Field.ROWS, event, -1),
                        plan.text(Field.REPLY, event),
                        plan.text(Field.ERROR_CODE, event))
                .tracedAs(plan.text(Field.TRACE_ID, event), plan.text(Field.SPAN_ID, event));
    }
}
