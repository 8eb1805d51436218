package dev.probestream.convert.parquet.row;

import dev.probestream.convert.request.Request;
import dev.probestream.convert.request.RequestDetails;
import dev.probestream.convert.request.context.OwnerSource;
import dev.probestream.convert.request.split.TimeSplit;
import dev.probestream.convert.route.Route;
import java.util.List;
import org.apache.parquet.schema.MessageType;

/** The table of the requests: HTTP exchanges and statements to databases. */
public final class RequestRows implements RowShape<RequestRows.NumberedRequest> {
    private static final long UNKNOWN = -1;

    /**
     * A request as a row of the tables.
     *
     * @param idOffset added to its numbers, so that the requests of one capture are distinct across segments
     */
    public record NumberedRequest(long captureId, long idOffset, Request request, WallClock clock) {}

    @Override
    public MessageType schema() {
        return new Columns()
                .timestamp("ts")
                .timestamp("end_ts")
                .integer64("duration_ns")
                .required64("mono_ns")
                .required64("capture_id")
                .required64("request_id")
                .integer64("parent_request_id")
                .required32("pid")
                .required32("tid")
                .text("side")
                .text("method")
                .text("url")
                .text("route")
                .integer32("status")
                .text("outcome")
                .truth("is_tls")
                .truth("keep_alive")
                .text("remote_address")
                .integer32("remote_port")
                .text("local_address")
                .integer32("local_port")
                .integer64("received_bytes")
                .integer64("sent_bytes")
                .integer64("head_ns")
                .integer64("javascript_ns")
                .integer64("gc_ns")
                .integer64("off_cpu_ns")
                .integer64("loop_wait_ns")
                .integer64("pool_queue_ns")
                .integer64("pool_run_ns")
                .integer64("network_ns")
                .integer64("unattributed_ns")
                .text("protocol")
                .text("operation")
                .text("statement")
                .integer64("rows")
                .text("reply")
                .text("error_code")
                .text("peer_name")
                .text("caller")
                .text("caller_package")
                .integer64("waited_ns")
                .text("trace_id")
                .text("span_id")
                .text("parent_source")
                .text("database")
                .named(ParquetTable.REQUESTS.folderName());
    }

    @Override
    public List<String> ascending() {
        return List.of("ts", "end_ts", "duration_ns", "mono_ns", "request_id");
    }

    @Override
    public void write(NumberedRequest numbered, Row row) {
        Request request = numbered.request();
        times(request, numbered.clock(), row);
        row.integer64(numbered.captureId())
                .integer64(numbered.idOffset() + request.number())
                .integer64(request.parentNumber() != 0, numbered.idOffset() + request.parentNumber())
                .integer32(request.pid())
                .integer32(request.tid())
                .text(request.side().name());
        textOrNone(request.method(), row);
        textOrNone(request.url(), row);
        textOrNone(Route.of(request.url()), row);
        row.integer32(request.status() != 0, request.status())
                .text(request.outcome().name())
                .truth(request.isTls());
        switch (request.keepAlive()) {
            case YES -> row.truth(true);
            case NO -> row.truth(false);
            case UNKNOWN -> row.none();
        }
        address(request.remote(), row);
        address(request.local(), row);
        known(request.receivedBytes(), row);
        known(request.sentBytes(), row);
        row.integer64(request.headNs() != UNKNOWN, request.headNs() - request.startNs());
        split(request.split(), row);
        details(request.details(), row);
        OwnerSource source = request.parentSource();
        textOrNone(source == null ? "" : source.word(), row);
        textOrNone(request.details().database(), row);
    }

    private static void times(Request request, WallClock clock, Row row) {
        boolean isOver = request.endNs() != UNKNOWN;
        row.integer64(clock.isKnown(), clock.realtimeNs(request.startNs()))
                .integer64(clock.isKnown() && isOver, clock.realtimeNs(request.endNs()))
                .integer64(isOver, request.endNs() - request.startNs())
                .integer64(request.startNs());
    }

    private static void split(TimeSplit split, Row row) {
        known(split.javascriptNs(), row);
        known(split.gcNs(), row);
        known(split.offCpuNs(), row);
        known(split.loopWaitNs(), row);
        known(split.poolQueueNs(), row);
        known(split.poolRunNs(), row);
        known(split.networkNs(), row);
        known(split.unattributedNs(), row);
    }

    private static void details(RequestDetails details, Row row) {
        textOrNone(details.protocol(), row);
        textOrNone(details.operation(), row);
        textOrNone(details.statement(), row);
        known(details.rows(), row);
        textOrNone(details.reply(), row);
        textOrNone(details.errorCode(), row);
        textOrNone(details.peerName(), row);
        textOrNone(details.caller(), row);
        textOrNone(details.callerPackage(), row);
        known(details.waitedNs(), row);
        textOrNone(details.traceId(), row);
        textOrNone(details.spanId(), row);
    }

    /** Two columns: "1.2.3.4:80", "[::1]:80"; the path of a unix socket has no port. */
    private static void address(String address, Row row) {
        int colon = address.lastIndexOf(':');
        boolean isPath = address.startsWith("/") || address.startsWith("@");
        if (isPath || colon < 0 || !isPort(address, colon + 1)) {
            textOrNone(address, row);
            row.none();
            return;
        }
        String host = address.substring(0, colon);
        boolean isBracketed = host.startsWith("[") && host.endsWith("]");
        row.text(isBracketed ? host.substring(1, host.length() - 1) : host);
        row.integer32(Integer.parseInt(address, colon + 1, address.length(), 10));
    }

    private static boolean isPort(String address, int from) {
        int digits = address.length() - from;
        return digits >= 1
                && digits <= 5
                && address.chars().skip(from).allMatch(character -> character >= '0' && character <= '9');
    }

    private static void known(long value, Row row) {
        row.integer64(value != UNKNOWN, value);
    }

    private static void textOrNone(String text, Row row) {
        if (text.isEmpty()) {
            row.none();
        } else {
            row.text(text);
        }
    }
}
