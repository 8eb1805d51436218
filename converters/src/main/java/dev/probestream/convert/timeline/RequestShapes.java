package dev.probestream.convert.timeline;

import dev.probestream.convert.request.Request;
import dev.probestream.convert.shape.ArgumentShape;
import dev.probestream.convert.timeline.RequestTrack.Kind;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The names under which a request's own facts stand in a trace. Only traces of captures with requests have them. */
public final class RequestShapes {
    public static final String CATEGORY = "node-http";

    /** Of statements to databases. */
    public static final String DATABASE_CATEGORY = "node-db";

    private static final RequestTrack HTTP_SERVER = new RequestTrack("HTTP server", 0, Kind.HTTP);
    private static final RequestTrack HTTP_CLIENT = new RequestTrack("HTTP client", 1, Kind.HTTP);
    private static final RequestTrack CONNECTIONS = new RequestTrack("connections", 2, Kind.CONNECTIONS);
    private static final RequestTrack OTHER_DATABASES = new RequestTrack("database client", 3, Kind.DATABASE);
    private static final int FIRST_DATABASE = 4;
    /** A recording of ours has as many as there are protocols. */
    private static final int MAX_DATABASES = 100;

    final int categoryIndex;
    final int databaseCategoryIndex;

    private final Map<String, RequestTrack> databases = new HashMap<>();

    /** On requests and, beside the arguments of its probe, on every event that belongs to one. */
    final ArgumentShape request;

    final ArgumentShape parent;
    final ArgumentShape method;
    final ArgumentShape url;
    final ArgumentShape status;
    final ArgumentShape outcome;
    final ArgumentShape remote;
    final ArgumentShape local;
    final ArgumentShape keepAlive;
    final ArgumentShape isTls;
    final ArgumentShape receivedBytes;
    final ArgumentShape sentBytes;
    final ArgumentShape headNs;
    final ArgumentShape javascriptNs;
    final ArgumentShape gcNs;
    final ArgumentShape offCpuNs;
    final ArgumentShape loopWaitNs;
    final ArgumentShape poolQueueNs;
    final ArgumentShape poolRunNs;
    final ArgumentShape networkNs;
    final ArgumentShape unattributedNs;
    final ArgumentShape protocol;
    final ArgumentShape statement;
    final ArgumentShape rows;
    final ArgumentShape reply;
    final ArgumentShape errorCode;
    final ArgumentShape peerName;
    final ArgumentShape caller;
    final ArgumentShape callerPackage;
    final ArgumentShape waitedNs;
    final ArgumentShape traceId;
    final ArgumentShape spanId;

    /** In the order in which they are shown. */
    final List<ArgumentShape> all;

    /** The track of its process on which a request stands. */
    RequestTrack track(Request request) {
        if (request.side() == Request.Side.SERVER) {
            return HTTP_SERVER;
        }
        String database = request.details().database();
        if (!database.isEmpty()) {
            return databases.size() < MAX_DATABASES
                    ? databases.computeIfAbsent(database, this::databaseTrack)
                    : databases.getOrDefault(database, OTHER_DATABASES);
        }
        return switch (request.details().protocol()) {
            case "tcp", "unix" -> CONNECTIONS;
            default -> HTTP_CLIENT;
        };
    }

    private RequestTrack databaseTrack(String database) {
        return new RequestTrack(database + " client", FIRST_DATABASE + databases.size(), Kind.DATABASE);
    }

    /** Not "request": that is what presets call libuv's pointer. */
    RequestShapes(ProbeShapes shapes) {
        categoryIndex = shapes.categories.add(CATEGORY);
        databaseCategoryIndex = shapes.categories.add(DATABASE_CATEGORY);
        request = shapes.number("http_request", "");
        parent = shapes.number("parent_request", "");
        method = shapes.text("method");
        url = shapes.text("url");
        status = shapes.number("status", "");
        outcome = shapes.text("outcome");
        remote = shapes.text("remote");
        local = shapes.text("local");
        keepAlive = shapes.text("keep_alive");
        isTls = shapes.text("is_tls");
        receivedBytes = shapes.number("received_bytes", "bytes");
        sentBytes = shapes.number("sent_bytes", "bytes");
        headNs = shapes.number("head_ns", "ns");
        javascriptNs = shapes.number("javascript_ns", "ns");
        gcNs = shapes.number("gc_ns", "ns");
        offCpuNs = shapes.number("off_cpu_ns", "ns");
        loopWaitNs = shapes.number("loop_wait_ns", "ns");
        poolQueueNs = shapes.number("pool_queue_ns", "ns");
        poolRunNs = shapes.number("pool_run_ns", "ns");
        networkNs = shapes.number("network_ns", "ns");
        unattributedNs = shapes.number("unattributed_ns", "ns");
        protocol = shapes.text("protocol");
        statement = shapes.text("statement");
        rows = shapes.number("rows", "");
        reply = shapes.text("reply");
        errorCode = shapes.text("error_code");
        peerName = shapes.text("peer_name");
        caller = shapes.text("caller");
        callerPackage = shapes.text("caller_package");
        waitedNs = shapes.number("waited_ns", "ns");
        traceId = shapes.text("trace_id");
        spanId = shapes.text("span_id");
        all = List.of(
                request,
                parent,
                method,
                url,
                status,
                outcome,
                remote,
                local,
                keepAlive,
                isTls,
                receivedBytes,
                sentBytes,
                headNs,
                javascriptNs,
                gcNs,
                offCpuNs,
                loopWaitNs,
                poolQueueNs,
                poolRunNs,
                networkNs,
                unattributedNs,
                protocol,
                statement,
                rows,
                reply,
                errorCode,
                peerName,
                caller,
                callerPackage,
                waitedNs,
                traceId,
                spanId);
    }
}
