package dev.probestream.collector.internal.redact;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Copies the first line of an HTTP/1 message (RFC 9112, 3 and 4), with its target masked by {@link UrlMask}. Headers
 * and bodies after it are never copied; an answer's line that is written, and a request's that is read, are followed by the two lengths that the head
 * gives ({@link MessageLengths}). Copies nothing if the text does not begin with such a line, complete or cut at the recorded length.
 */
final class HttpLine {
    private static final byte[] VERSION = "HTTP/1.".getBytes(StandardCharsets.US_ASCII);
    private static final int VERSION_BYTES = VERSION.length + 1;
    private static final int MAX_METHOD_BYTES = 24;
    private static final int STATUS_DIGITS = 3;
    private static final byte[] END_OF_HEADERS = "\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private final ByteBuffer out;
    private final UrlMask mask;
    private final boolean isQueryShown;
    private final MessageLengths lengths;

    HttpLine(ByteBuffer out, UrlMask mask, boolean isQueryShown) {
        this.out = out;
        this.mask = mask;
        this.isQueryShown = isQueryShown;
        this.lengths = new MessageLengths(out);
    }

    /**
     * Copies the first line of a message at {@code start}, if there is one.
     *
     * @param isCut whether the text continues after {@code end}
     * @return whether the line itself was cut
     */
    boolean copy(ByteBuffer source, int start, int end, boolean isCut) {
        int lineEnd = lineEnd(source, start, end);
        boolean isLineCut = lineEnd == end;
        if (isLineCut && !isCut) {
            return false;
        }
        if (lineEnd < end && source.get(lineEnd) != '\r' && source.get(lineEnd) != '\n') {
            return false;
        }
        if (isVersion(source, start, lineEnd)) {
            boolean isAnswer = copyStatus(source, start, lineEnd);
            if (isAnswer) {
                lengths.copy(source, start, lineEnd, end);
            }
            return isAnswer && isLineCut;
        }
        return copyTarget(source, start, lineEnd, isLineCut);
    }

    /**
     * Copies the first line of a request at {@code start}, if there is one, and the lengths that its head gives; of an answer what {@link
     * #copyAnswer} does, and the lengths, too.
     *
     * @param isCut whether the text continues after {@code end}
     * @return whether the line itself was cut
     */
    boolean copyRead(ByteBuffer source, int start, int end, boolean isCut) {
        int before = out.position();
        if (isVersion(source, start, end)) {
            return copyAnswer(source, start, end, isCut, true);
        }
        boolean isLineCut = copy(source, start, end, isCut);
        if (out.position() > before && !isLineCut) {
            lengths.copy(source, start, lineEnd(source, start, end), end);
        }
        return isLineCut;
    }

    /**
     * Copies the first line of an answer at {@code start}, or of the one that follows if that only announces it (RFC 9110, 15.2).
     *
     * @param isCut whether the text continues after {@code end}
     * @return whether the line itself was cut
     */
    boolean copyAnswer(ByteBuffer source, int start, int end, boolean isCut) {
        return copyAnswer(source, start, end, isCut, false);
    }

    private boolean copyAnswer(ByteBuffer source, int start, int end, boolean isCut, boolean withLengths) {
        int at = start;
        for (int next = afterInformational(source, at, end); next < end; next = afterInformational(source, at, end)) {
            at = next;
        }
        int lineEnd = lineEnd(source, at, end);
        boolean isWhole = lineEnd < end && (source.get(lineEnd) == '\r' || source.get(lineEnd) == '\n');
        boolean isLine = isWhole || (lineEnd == end && isCut);
        boolean isAnswer = isLine && isVersion(source, at, lineEnd) && copyStatus(source, at, lineEnd);
        if (isAnswer && isWhole && withLengths) {
            lengths.copy(source, at, lineEnd, end);
        }
        return isAnswer && !isWhole;
    }

    /** Where the message behind an informational answer begins; the end = there is none of either. */
    private static int afterInformational(ByteBuffer source, int start, int end) {
        int status = start + VERSION_BYTES + 1;
        boolean isInformational = isVersion(source, start, end)
                && status + STATUS_DIGITS <= end
                && source.get(status) == '1'
                && !(source.get(status + 1) == '0' && source.get(status + 2) == '1');
        for (int at = status; isInformational && at + END_OF_HEADERS.length <= end; at++) {
            if (isAt(source, at, END_OF_HEADERS)) {
                return at + END_OF_HEADERS.length;
            }
        }
        return end;
    }

    private static boolean isAt(ByteBuffer source, int start, byte[] bytes) {
        for (int i = 0; i < bytes.length; i++) {
            if (source.get(start + i) != bytes[i]) {
                return false;
            }
        }
        return true;
    }

    /** The first control character, or the end. */
    private static int lineEnd(ByteBuffer source, int start, int end) {
        int at = start;
        while (at < end && (source.get(at) < 0 || source.get(at) >= ' ') && source.get(at) != 0x7f) {
            at++;
        }
        return at;
    }

    private static boolean isVersion(ByteBuffer source, int start, int end) {
        if (end - start < VERSION_BYTES) {
            return false;
        }
        return isAt(source, start, VERSION) && isDigit(source.get(start + VERSION.length));
    }

    /** {@code HTTP/1.1 404 Not Found}; the reason phrase is optional. */
    private boolean copyStatus(ByteBuffer source, int start, int end) {
        int status = start + VERSION_BYTES + 1;
        int reason = status + STATUS_DIGITS;
        if (reason > end || source.get(status - 1) != ' ' || (reason < end && source.get(reason) != ' ')) {
            return false;
        }
        for (int i = status; i < reason; i++) {
            if (!isDigit(source.get(i))) {
                return false;
            }
        }
        copyPlain(source, start, end);
        return true;
    }

    /** {@code GET /path HTTP/1.1}; returns whether it was cut. In a cut line the version may be missing. */
    private boolean copyTarget(ByteBuffer source, int start, int end, boolean isLineCut) {
        int space = find(source, start, Math.min(end, start + MAX_METHOD_BYTES + 1));
        int target = space + 1;
        if (space == start || target >= end || source.get(space) != ' ' || !isMethod(source, start, space)) {
            return false;
        }
        int targetEnd = find(source, target, end);
        boolean hasVersion = targetEnd + 1 + VERSION_BYTES == end && isVersion(source, targetEnd + 1, end);
        boolean mayHaveVersion = isLineCut && isTargetOfServer(source.get(target)) && mayGoOn(source, targetEnd, end);
        if (targetEnd == target || !(hasVersion || mayHaveVersion)) {
            return false;
        }
        copyPlain(source, start, target);
        if (isQueryShown) {
            copyPlain(source, target, targetEnd);
        } else {
            mask.copyUrl(source, target, targetEnd, !hasVersion && targetEnd == end);
        }
        copyPlain(source, targetEnd, end);
        return !hasVersion;
    }

    /** Whether the range is empty or a prefix of a blank and a version. */
    private static boolean mayGoOn(ByteBuffer source, int start, int end) {
        for (int i = start + 1; i < end; i++) {
            int at = i - start - 1;
            if (at >= VERSION.length || source.get(i) != VERSION[at]) {
                return false;
            }
        }
        return true;
    }

    private static boolean isMethod(ByteBuffer source, int start, int end) {
        for (int i = start; i < end; i++) {
            boolean isOfMethod = (source.get(i) >= 'A' && source.get(i) <= 'Z') || source.get(i) == '-';
            if (!isOfMethod) {
                return false;
            }
        }
        return true;
    }

    private static boolean isTargetOfServer(byte first) {
        return first == '/' || first == 'h' || first == 'H';
    }

    private static boolean isDigit(byte b) {
        return b >= '0' && b <= '9';
    }

    private static int find(ByteBuffer source, int start, int end) {
        int at = start;
        while (at < end && source.get(at) != ' ') {
            at++;
        }
        return at;
    }

    private void copyPlain(ByteBuffer source, int start, int end) {
        for (int i = start; i < end; i++) {
            out.put(source.get(i));
        }
    }
}
