package dev.probestream.cli.http;

import dev.probestream.convert.request.Request;
import java.util.List;
import java.util.Optional;

/**
 * Selects the requests to print.
 *
 * @param side if present, only requests of this side
 * @param statuses if not empty, only requests with one of these statuses: {@code 404}, or {@code 5xx} for 500 to 599
 * @param minDurationNs the minimum duration
 */
record HttpFilter(Optional<Request.Side> side, List<String> statuses, long minDurationNs) {
    public HttpFilter {
        statuses = List.copyOf(statuses);
    }

    /** Whether a text is a status or a class of statuses. */
    public static boolean isStatus(String text) {
        return text.matches("[1-5]([0-9][0-9]|xx)");
    }

    /** @param durationNs its duration so far */
    boolean passes(Request request, long durationNs) {
        return (side.isEmpty() || side.get() == request.side())
                && durationNs >= minDurationNs
                && (statuses.isEmpty() || statuses.stream().anyMatch(pattern -> matches(pattern, request.status())));
    }

    private static boolean matches(String pattern, int status) {
        return pattern.endsWith("xx")
                ? status / 100 == pattern.charAt(0) - '0'
                : Integer.toString(status).equals(pattern);
    }
}
