package dev.probestream.cli.http;

import dev.probestream.cli.live.LineBuffer;
import dev.probestream.cli.live.TraceTimes;
import dev.probestream.convert.request.Request;

/**
 * Formats requests as text. Unknown values are {@code -}; a value wider than its column shifts the rest of the line.
 *
 * <pre>
 *   TIME            COMM            PID     METHOD  URL                                      STATUS      LATENCY SIDE   REMOTE
 *   14:03:07.123456 node            4711    GET     /items/7?q=***                              200     1.234 ms server 127.0.0.1:51234
 * </pre>
 */
final class HttpText implements HttpPublisher.RequestWriter {
    private static final int TIME_WIDTH = 15;
    private static final int COMM_WIDTH = 15;
    private static final int PID_WIDTH = 7;
    private static final int METHOD_WIDTH = 7;
    private static final int URL_WIDTH = 40;
    private static final int STATUS_WIDTH = 6;
    private static final int LATENCY_WIDTH = 12;

    private final TraceTimes times;

    HttpText(TraceTimes times) {
        this.times = times;
    }

    @Override
    public void header(LineBuffer out) {
        out.text("TIME            COMM            PID     METHOD  URL                                      STATUS"
                + "      LATENCY SIDE   REMOTE\n");
    }

    @Override
    public void write(Request request, String comm, long durationNs, LineBuffer out) {
        int start = out.length();
        times.ofDay(request.startNs() + durationNs, out);
        left(start, TIME_WIDTH, out);
        start = out.length();
        left(start, COMM_WIDTH, out.escaped(comm));
        start = out.length();
        left(start, PID_WIDTH, out.number(request.pid()));
        start = out.length();
        left(start, METHOD_WIDTH, out.escaped(known(request.method())));
        start = out.length();
        left(start, URL_WIDTH, out.escaped(known(request.url())));
        start = out.length();
        out.text(request.status() == 0 ? "-" : Integer.toString(request.status()));
        out.padSince(start, STATUS_WIDTH, false).ascii(' ');
        start = out.length();
        if (request.outcome() == Request.Outcome.UNKNOWN || request.outcome() == Request.Outcome.UNOBSERVED) {
            out.ascii('-');
        } else {
            // One unit makes the column comparable and sortable.
            out.unsigned(durationNs / 1_000_000)
                    .ascii('.')
                    .decimal(durationNs / 1000 % 1000, 3)
                    .text(" ms");
        }
        out.padSince(start, LATENCY_WIDTH, false).ascii(' ');
        out.text(side(request)).ascii(' ').escaped(known(request.remote()));
        out.text(outcome(request)).ascii('\n');
    }

    private static String side(Request request) {
        return switch (request.side()) {
            case SERVER -> "server";
            case CLIENT -> "client";
        };
    }

    private static String outcome(Request request) {
        return switch (request.outcome()) {
            case COMPLETE -> "";
            case UPGRADED -> " (upgraded)";
            case ABORTED -> " (aborted)";
            case OPEN -> " (open)";
            case UNOBSERVED -> " (not watched to its end)";
            case UNKNOWN -> " (end unknown)";
        };
    }

    private static String known(String text) {
        return text.isEmpty() ? "-" : text;
    }

    private static void left(int start, int width, LineBuffer out) {
        out.padSince(start, width, true).ascii(' ');
    }
}
