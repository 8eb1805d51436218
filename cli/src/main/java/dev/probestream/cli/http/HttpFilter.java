package dev.probestream.cli.http;

import dev.probestream.convert.request.Request;
import java.util.List;
import java.util.Optional;

/**
 * Which requests are printed.
 *
 * @param side when present, those of one end only
 * @param statuses when not empty, those answered with one of these only: {@code 404}, or {@code 5xx} for 500 to 599
 * @param minDurationNs those that took at least so long only
 */
record HttpFilter(Optional<Request.Side> side, List<String> statuses, long minDurationNs) {
    /** All of them. */
    public static final HttpFilter NONE = new HttpFilter(Optional.empty(), List.of(), 0);

    public HttpFilter {
        statuses = List.copyOf(statuses);
    }

    /** Whether a text is a status or a class of them. */
    public static boolean isStatus(String text) {
        return text.matches("[1-5]([0-9][0-9]|xx)");
    }

    /** @param durationNs how long it took, or has taken so far */
    boolean passes(Request request, long durationNs) {
        return (side.isEmpty() || side.get() == request.side())
                && durationNs >= minDurationNs
                && (statuses.isEmpty() || statuses.stream().anyMatch(wanted -> matches(wanted, request.status())));
    }

    private static boolean matches(String wanted, int status) {
        return wanted.endsWith("xx")
                ? status / 100 == wanted.charAt(0) - '0'
                : Integer.toString(status).equals(wanted);
    }
}
