package dev.probestream.collector.internal.redact;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Writes how long an HTTP/1 message is, by its head (RFC 9112, 6): {@code " (head 124, body 1000)"}, {@code " (head 124, chunked)"}, or
 * {@code " (head 124)"} if there is no body, or the connection's end is the answer's. These numbers are all that is taken from the headers. Writes nothing if the
 * head is not complete, or has more than one length.
 */
final class MessageLengths {
    private static final byte[] CONTENT_LENGTH = "content-length:".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] TRANSFER_ENCODING = "transfer-encoding:".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] CHUNKED = "chunked".getBytes(StandardCharsets.US_ASCII);

    /** 10^15 - 1 bytes are enough for any answer. */
    private static final int MAX_DIGITS = 15;

    private static final long NONE = -1;
    private static final long INVALID = -2;

    private final ByteBuffer out;

    MessageLengths(ByteBuffer out) {
        this.out = out;
    }

    /** The head is at {@code start}; its first line ends at {@code lineEnd}, what was recorded at {@code end}. */
    void copy(ByteBuffer source, int start, int lineEnd, int end) {
        long body = NONE;
        boolean isChunked = false;
        for (int at = next(source, lineEnd, end); at < end; at = next(source, lineEnd(source, at, end), end)) {
            int headerEnd = lineEnd(source, at, end);
            if (headerEnd == at) {
                int afterHead = next(source, headerEnd, end);
                if (afterHead <= end) {
                    write(afterHead - start, body, isChunked);
                }
                return;
            }
            if (begins(source, at, headerEnd, CONTENT_LENGTH)) {
                body = body == NONE ? number(source, at + CONTENT_LENGTH.length, headerEnd) : INVALID;
            } else if (begins(source, at, headerEnd, TRANSFER_ENCODING)) {
                isChunked |= ends(source, at, headerEnd, CHUNKED);
            }
        }
    }

    private void write(int head, long body, boolean isChunked) {
        if (body == INVALID) {
            return;
        }
        String what = isChunked ? ", chunked" : body >= 0 ? ", body " + body : "";
        out.put((" (head " + head + what + ")").getBytes(StandardCharsets.US_ASCII));
    }

    /** Where the line ends, without what ends it. */
    private static int lineEnd(ByteBuffer source, int from, int end) {
        int at = from;
        while (at < end && source.get(at) != '\r' && source.get(at) != '\n') {
            at++;
        }
        return at;
    }

    /** Where the line behind the one that ends there begins; the end of what was recorded may cut its "\r\n". */
    private static int next(ByteBuffer source, int lineEnd, int end) {
        return lineEnd + 1 < end && source.get(lineEnd) == '\r' && source.get(lineEnd + 1) == '\n'
                ? lineEnd + 2
                : Integer.MAX_VALUE;
    }

    private static boolean begins(ByteBuffer source, int start, int end, byte[] name) {
        return end - start >= name.length && is(source, start, name);
    }

    private static boolean ends(ByteBuffer source, int start, int end, byte[] value) {
        int last = end;
        while (last > start && isBlank(source.get(last - 1))) {
            last--;
        }
        return last - start >= value.length && is(source, last - value.length, value);
    }

    /** Without regard to case; {@code lower} is in lower case. */
    private static boolean is(ByteBuffer source, int start, byte[] lower) {
        for (int i = 0; i < lower.length; i++) {
            byte b = source.get(start + i);
            if ((b >= 'A' && b <= 'Z' ? b + ('a' - 'A') : b) != lower[i]) {
                return false;
            }
        }
        return true;
    }

    private static long number(ByteBuffer source, int start, int end) {
        int from = start;
        int to = end;
        while (from < to && isBlank(source.get(from))) {
            from++;
        }
        while (to > from && isBlank(source.get(to - 1))) {
            to--;
        }
        if (from == to || to - from > MAX_DIGITS) {
            return INVALID;
        }
        long number = 0;
        for (int at = from; at < to; at++) {
            int digit = source.get(at) - '0';
            if (digit < 0 || digit > 9) {
                return INVALID;
            }
            number = 10 * number + digit;
        }
        return number;
    }

    private static boolean isBlank(byte b) {
        return b == ' ' || b == '\t';
    }
}
