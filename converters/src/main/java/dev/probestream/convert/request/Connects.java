package dev.probestream.convert.request;

import dev.probestream.convert.errno.ErrnoNames;
import dev.probestream.convert.request.Request.Side;
import dev.probestream.convert.request.origin.Caller;
import dev.probestream.convert.request.origin.Origins;
import dev.probestream.convert.request.plan.Field;
import dev.probestream.convert.request.plan.ProbePlan;
import dev.probestream.convert.request.split.RequestPhase;
import dev.probestream.schema.EventView;
import java.io.IOException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Connections begin: accepted ones, and those that were asked for. Who asked for one waits for it meanwhile; one that fails, or
 * is not there when the capture ends, becomes a request of a client by itself, from the asking to the failure.
 */
final class Connects {
    /** Beyond it the oldest is no longer watched. */
    static final int LIMIT = 1 << 12;

    /** Of libuv's stream, as long as it is not there. */
    private record Key(int pid, long stream) {}

    private record Attempt(Connection connection, @Nullable Exchange ordering, int tid, long startNs) {}

    private final Exchanges exchanges;
    private final Streams streams;
    private final Origins origins;
    private final Map<Key, Attempt> attempts = new LinkedHashMap<>();

    Connects(Exchanges exchanges, Streams streams, Origins origins) {
        this.exchanges = exchanges;
        this.streams = streams;
        this.origins = origins;
    }

    @Nullable
    Exchange accept(ProbePlan plan, EventView event) throws IOException {
        Connection accepted = streams.renew(plan, event);
        if (accepted != null) {
            accepted.isServer = true;
        }
        return null;
    }

    /** A connection is asked for. */
    @Nullable
    Exchange connect(ProbePlan plan, EventView event, ThreadContext thread) throws IOException {
        Exchange root = thread.worker();
        Connection connection = streams.renew(plan, event);
        if (connection == null) {
            return root;
        }
        connection.peerName = origins.names().of(event.pid(), connection.remote, event.timestampNs());
        connection.madeIn = PackageNumbers.number(plan, event);
        if (root != null) {
            connection.beginConnecting(root, thread.source(), event.timestampNs());
        }
        Attempt attempt = new Attempt(connection, root, event.tid(), event.timestampNs());
        long result = plan.hasReturnValue(event) ? event.returnValue() : 0;
        if (result < 0) {
            return failed(attempt, result, ThreadContext.endNs(event));
        }
        connection.isAwaited = true;
        attempts.put(new Key(event.pid(), connection.stream), attempt);
        if (attempts.size() > LIMIT) {
            Iterator<Attempt> oldest = attempts.values().iterator();
            oldest.next();
            oldest.remove();
        }
        return root;
    }

    /** It is there, or failed. */
    @Nullable
    Exchange connected(ProbePlan plan, EventView event) throws IOException {
        Attempt attempt = attempts.remove(new Key(event.pid(), plan.number(Field.STREAM, event, 0)));
        long result = plan.number(Field.RESULT, event, 0);
        if (attempt != null && result < 0) {
            return failed(attempt, result, event.timestampNs());
        }
        Connection connection = streams.of(plan, event);
        if (connection != null) {
            connection.endConnecting(event.timestampNs());
        }
        return null;
    }

    private Exchange failed(Attempt attempt, long result, long atNs) throws IOException {
        attempt.connection.endConnecting(atNs);
        Exchange failed = begin(attempt);
        if (exchanges.lost().areAny(attempt.startNs, atNs)) {
            exchanges.unmatched(failed, atNs); // the failure may be another attempt's
            return failed;
        }
        failed.details = failed.details.failed(ErrnoNames.name(result));
        exchanges.closed(failed, atNs);
        return failed;
    }

    private Exchange begin(Attempt attempt) throws IOException {
        Exchange ordering = attempt.ordering;
        Exchange parent = ordering != null && ordering.isServer() ? ordering : null;
        Connection connection = attempt.connection;
        Exchange begun = exchanges.begin(Side.CLIENT, parent, connection, attempt.tid, attempt.startNs);
        begun.parentSource = connection.orderedBySource;
        begun.isOneEvent = true;
        begun.sentBytes = -1;
        begun.receivedBytes = -1;
        Caller caller = origins.ofRequest(connection.pid, attempt.tid, connection.stream, 0, attempt.startNs);
        begun.details = RequestDetails.EMPTY
                .of(isAddress(connection.remote) ? "tcp" : "unix", "connect")
                .calledBy(caller.function(), caller.packageName());
        begun.sweep.begin(RequestPhase.NETWORK, attempt.startNs);
        return begun;
    }

    /** "127.0.0.1:80", "[::1]:80"; anything else is the path of a socket. */
    private static boolean isAddress(String remote) {
        return remote.isEmpty() || remote.startsWith("[") || Character.isDigit(remote.charAt(0));
    }

    /** The watching ends: what is neither there nor failed goes on. */
    void finish(long nowNs) throws IOException {
        for (Attempt attempt : attempts.values()) {
            if (attempt.connection.isAwaited) {
                Exchange open = begin(attempt);
                if (exchanges.lost().areAny(attempt.startNs, nowNs)) {
                    exchanges.unmatched(open, nowNs);
                }
            }
        }
        attempts.clear();
    }
}
