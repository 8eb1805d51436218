package dev.probestream.convert.request.http;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The first line of an HTTP/1 message, perhaps cut: "GET /a HTTP/1.1" or "HTTP/1.1 200 OK" (RFC 9112, sections 3 and 4). Behind it
 * may stand how long the message is: "HTTP/1.1 200 OK (head 124, body 1000)", "HTTP/1.1 200 OK (head 124, chunked)", "GET /a HTTP/1.1 (head 78)".
 *
 * @param method "" = it is an answer
 * @param target of the request; "" of an answer
 * @param status of the answer; 0 of a request
 * @param headBytes how long the message's head is; -1 = unknown
 * @param bodyBytes how long its body is, by its header content-length; -1 = unknown, or it has none
 * @param isInChunks whether its body is in chunks, after which comes an empty one
 */
public record FirstLine(String method, String target, int status, long headBytes, long bodyBytes, boolean isInChunks) {
    private static final Pattern LENGTHS =
            Pattern.compile(" \\(head ([0-9]{1,9})(?:, (?:body ([0-9]{1,15})|(chunked)))?\\)$");
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
            return status == 0 ? null : message("", "", status, line);
        }
        String rest = line.substring(space + 1).stripTrailing();
        int version = rest.lastIndexOf(" " + VERSION);
        String target = version < 0 ? rest : rest.substring(0, version);
        return target.isEmpty() ? null : message(line.substring(0, space), target, 0, version < 0 ? "" : line);
    }

    private static FirstLine message(String method, String target, int status, String line) {
        Matcher lengths = LENGTHS.matcher(line);
        if (!lengths.find()) {
            return new FirstLine(method, target, status, -1, -1, false);
        }
        String body = lengths.group(2);
        return new FirstLine(
                method,
                target,
                status,
                Long.parseLong(lengths.group(1)),
                body == null ? -1 : Long.parseLong(body),
                lengths.group(3) != null);
    }

    /** Whether so many bytes that begin with this request have something behind it; false where its length is not known. */
    public boolean isShorterThan(long bytes) {
        return headBytes >= 0 && !isInChunks && headBytes + Math.max(0, bodyBytes) < bytes;
    }

    /** Whether so many bytes that begin with this request are all of it, and nothing else; false where its length is not known. */
    public boolean isAsLongAs(long bytes) {
        return headBytes >= 0 && !isInChunks && headBytes + Math.max(0, bodyBytes) == bytes;
    }

    /** How many bytes the answer to a request with this method has; -1 = unknown. */
    public long answerBytes(String requestMethod) {
        if (headBytes < 0 || Llhttp.switchesProtocol(requestMethod, status)) {
            return -1;
        }
        if (Llhttp.hasNoBody(requestMethod, status)) {
            return headBytes;
        }
        return bodyBytes < 0 ? -1 : headBytes + bodyBytes;
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
