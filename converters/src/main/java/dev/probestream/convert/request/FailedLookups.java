package dev.probestream.convert.request;

import dev.probestream.convert.request.Request.Side;
import dev.probestream.convert.request.context.OwnerSource;
import dev.probestream.convert.request.plan.Field;
import dev.probestream.convert.request.plan.ProbePlan;
import dev.probestream.convert.request.split.RequestPhase;
import dev.probestream.schema.EventView;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Names that are looked up. A lookup that fails becomes a request of a client by itself, from the asking to the callback. */
final class FailedLookups {
    static final int LIMIT = 1 << 12;

    /** uv/errno.h; the names that {@code error.code} has in Node, which calls two of them ENOTFOUND (lib/internal/errors.js). */
    private static final Map<Long, String> UV_EAI = Map.ofEntries(
            Map.entry(-3000L, "EAI_ADDRFAMILY"),
            Map.entry(-3001L, "EAI_AGAIN"),
            Map.entry(-3002L, "EAI_BADFLAGS"),
            Map.entry(-3003L, "EAI_CANCELED"),
            Map.entry(-3004L, "EAI_FAIL"),
            Map.entry(-3005L, "EAI_FAMILY"),
            Map.entry(-3006L, "EAI_MEMORY"),
            Map.entry(-3007L, "ENOTFOUND"),
            Map.entry(-3008L, "ENOTFOUND"),
            Map.entry(-3009L, "EAI_OVERFLOW"),
            Map.entry(-3010L, "EAI_SERVICE"),
            Map.entry(-3011L, "EAI_SOCKTYPE"),
            Map.entry(-3013L, "EAI_BADHINTS"),
            Map.entry(-3014L, "EAI_PROTOCOL"));

    /** ares.h; the names that Node gives them (src/cares_wrap.h, ToErrorCodeString). */
    private static final Map<Long, String> ARES = Map.ofEntries(
            Map.entry(1L, "ENODATA"),
            Map.entry(2L, "EFORMERR"),
            Map.entry(3L, "ESERVFAIL"),
            Map.entry(4L, "ENOTFOUND"),
            Map.entry(5L, "ENOTIMP"),
            Map.entry(6L, "EREFUSED"),
            Map.entry(7L, "EBADQUERY"),
            Map.entry(8L, "EBADNAME"),
            Map.entry(9L, "EBADFAMILY"),
            Map.entry(10L, "EBADRESP"),
            Map.entry(11L, "ECONNREFUSED"),
            Map.entry(12L, "ETIMEOUT"),
            Map.entry(13L, "EOF"),
            Map.entry(14L, "EFILE"),
            Map.entry(15L, "ENOMEM"),
            Map.entry(16L, "EDESTRUCTION"),
            Map.entry(17L, "EBADSTR"),
            Map.entry(18L, "EBADFLAGS"),
            Map.entry(19L, "ENONAME"),
            Map.entry(20L, "EBADHINTS"),
            Map.entry(21L, "ENOTINITIALIZED"),
            Map.entry(24L, "ECANCELLED"));

    private record Lookup(
            String host,
            String operation,
            @Nullable Exchange ordering,
            @Nullable OwnerSource source,
            int tid,
            long startNs) {}

    private final Exchanges exchanges;
    private final PointerTable<Lookup> lookups = new PointerTable<>(LIMIT);

    FailedLookups(Exchanges exchanges) {
        this.exchanges = exchanges;
    }

    void begin(ProbePlan plan, EventView event, ThreadContext thread, String operation) {
        long request = plan.number(Field.REQUEST, event, 0);
        if (request != 0) {
            Lookup lookup = new Lookup(
                    plan.text(Field.HOST, event),
                    operation,
                    thread.worker(),
                    thread.source(),
                    event.tid(),
                    event.timestampNs());
            lookups.put(event.pid(), request, lookup);
        }
    }

    void end(ProbePlan plan, EventView event) throws IOException {
        Lookup lookup = lookups.remove(event.pid(), plan.number(Field.REQUEST, event, 0));
        String errorCode = errorCode(plan, event);
        if (lookup == null || errorCode.isEmpty()) {
            return;
        }
        Exchange ordering = lookup.ordering;
        Exchange parent = ordering != null && ordering.isServer() ? ordering : null;
        Connection none = new Connection(event.pid(), 0);
        none.peerName = lookup.host;
        Exchange failed = exchanges.begin(Side.CLIENT, parent, none, lookup.tid, lookup.startNs);
        failed.parentSource = lookup.source;
        failed.isOneEvent = true;
        failed.sentBytes = -1;
        failed.receivedBytes = -1;
        failed.details = RequestDetails.EMPTY.of("dns", lookup.operation).failed(errorCode);
        failed.sweep.begin(RequestPhase.NETWORK, lookup.startNs);
        exchanges.closed(failed, event.timestampNs());
    }

    /** "" = a name was found. */
    private static String errorCode(ProbePlan plan, EventView event) {
        if (plan.number(Field.STATUS, event, 0) < 0) {
            return "EAI_CANCELED"; // libuv sets it in the callback
        }
        boolean isQuery = plan.has(Field.ARES_STATUS);
        long result = plan.number(isQuery ? Field.ARES_STATUS : Field.LOOKUP_RESULT, event, 0);
        String name = (isQuery ? ARES : UV_EAI).get(result);
        return result == 0 ? "" : name == null ? String.valueOf(result) : name;
    }
}
