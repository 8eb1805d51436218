package dev.probestream.convert.request.http;

import org.jspecify.annotations.Nullable;

/**
 * The first line of an HTTP/1 message, perhaps cut: "GET /a HTTP/1.1" or "HTTP/1.1 200 OK" (RFC 9112, sections 3 and 4).
 *
 * @param method "" = it is an answer
 * @param target of the request; "" of an answer
 * @param status of the answer; 0 of a request
 */
public record FirstLine(String method, String target, int status) {
    private static final String VERSION = "HTTP/";

    /** Null = it is none. */
    public static @Nullable FirstLine of(String text) {
        String line = text.lines().findFirst().orElse("");
        int space = line.indexOf(' ');
        if (space <= 0) {
            return null;
        }
        if (line.startsWith(VERSION)) {
            int status = status(line, space + 1);
            return status == 0 ? null : new FirstLine("", "", status);
        }
        String rest = line.substring(space + 1).stripTrailing();
        int version = rest.lastIndexOf(" " + VERSION);
        String target = version < 0 ? rest : rest.substring(0, version);
        return target.isEmpty() ? null : new FirstLine(line.substring(0, space), target, 0);
    }

    private static int status(String line, int from) {
        if (line.length() < from + 3) {
            return 0;
        }
        int status = 0;
        for (int i = from; i < from + 3; i++) {
            int digit = line.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return 0;
            }
            status = 10 * status + digit;
        }
        return status;
    }

    /** Whether it is that of a request, not of an answer. */
    public boolean isRequest() {
        return !method.isEmpty();
    }

    /** Whether it only announces that HTTP/2 follows (RFC 9113, 3.4). */
    public boolean isHttp2() {
        return method.equals("PRI");
    }
}
