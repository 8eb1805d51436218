package dev.probestream.convert.request;

import dev.probestream.convert.request.plan.Field;
import dev.probestream.convert.request.plan.ProbePlan;
import dev.probestream.schema.EventView;
import org.jspecify.annotations.Nullable;

/** A parser of llhttp, from the beginning of a message to the beginning of the next. */
final class Parser {
    /** Where its messages come from. */
    Connection connection;

    /** Whose message it reads; null = not known (yet). */
    @Nullable
    Exchange exchange;

    /** When the message began; -1 = between messages. */
    long messageStartNs = -1;

    /** An answer that only announces another one. */
    boolean isInformational;

    Parser(Connection connection) {
        this.connection = connection;
    }

    /** The time at which the message began, by the parser's own clock reading. */
    void takeBegin(ProbePlan plan, EventView event) {
        long beginNs = plan.number(Field.BEGIN, event, 0);
        if (beginNs > 0 && beginNs <= event.timestampNs()) {
            messageStartNs = beginNs;
        }
    }

    /** A server's request was read to its end. */
    void readWhole(Exchange request, long nowNs) {
        exchange = null;
        messageStartNs = -1;
        request.isParsed = true;
        request.stopAwaitingNetwork(nowNs);
        if (connection.reading == request) {
            connection.readWhole(request);
        }
    }
}
