package dev.probestream.cli.http;

import dev.probestream.cli.live.LineBuffer;
import dev.probestream.cli.live.TraceTimes;
import dev.probestream.convert.request.Request;
import java.util.Locale;

/**
 * Formats requests as JSON, one object per line; unknown values are null.
 *
 * <pre>
 *   timeNs, monotonicNs  the start, in nanoseconds since 1970 (UTC) and by CLOCK_MONOTONIC
 *   durationNs           the duration; null if the request was still open
 *   headNs               the time until the response started
 *   pid, tid, comm
 *   side                 server, client
 *   method, url, status
 *   outcome              complete, upgraded, aborted, open
 *   remote, local        address and port
 *   tls, keepAlive       true, false
 *   receivedBytes, sentBytes
 * </pre>
 */
final class HttpJson implements HttpPublisher.RequestWriter {
    private final TraceTimes times;

    HttpJson(TraceTimes times) {
        this.times = times;
    }

    @Override
    public void header(LineBuffer out) {
        // Names stand in every object.
    }

    @Override
    public void write(Request request, String comm, long durationNs, LineBuffer out) {
        out.text("{\"timeNs\":").number(times.realtimeNs(request.startNs()));
        out.text(",\"monotonicNs\":").number(request.startNs());
        number("durationNs", request.endNs() >= 0, durationNs, out);
        number("headNs", request.headNs() >= 0, request.headNs() - request.startNs(), out);
        out.text(",\"pid\":").number(request.pid()).text(",\"tid\":").number(request.tid());
        text("comm", comm, out);
        text("side", request.side().name().toLowerCase(Locale.ROOT), out);
        text("method", request.method(), out);
        text("url", request.url(), out);
        number("status", request.status() != 0, request.status(), out);
        text("outcome", request.outcome().name().toLowerCase(Locale.ROOT), out);
        text("remote", request.remote(), out);
        text("local", request.local(), out);
        out.text(",\"tls\":").text(String.valueOf(request.isTls()));
        out.text(",\"keepAlive\":").text(keepAlive(request));
        number("receivedBytes", request.receivedBytes() >= 0, request.receivedBytes(), out);
        number("sentBytes", request.sentBytes() >= 0, request.sentBytes(), out);
        out.text("}\n");
    }

    private static String keepAlive(Request request) {
        return switch (request.keepAlive()) {
            case YES -> "true";
            case NO -> "false";
            case UNKNOWN -> "null";
        };
    }

    private static void number(String name, boolean isKnown, long value, LineBuffer out) {
        out.text(",\"").text(name).text("\":");
        if (isKnown) {
            out.number(value);
        } else {
            out.text("null");
        }
    }

    private static void text(String name, String value, LineBuffer out) {
        out.text(",\"").text(name).text("\":");
        if (value.isEmpty()) {
            out.text("null");
        } else {
            out.jsonText(value);
        }
    }
}
