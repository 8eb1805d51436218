package dev.probestream.collector.internal.redact;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Copies method and path of an HTTP/2 request out of the headers that Node submits: {@code GET /path}, the path masked by
 * {@link UrlMask}. Nothing of the other headers is copied.
 *
 * <p>In the {@link HeaderBlock} those whose names begin with a colon come first (RFC 9113, 8.3), in any order.
 */
final class Http2Request {
    private static final byte[] METHOD = ":method".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] PATH = ":path".getBytes(StandardCharsets.US_ASCII);
    private static final int MAX_METHOD_BYTES = 24;

    private final ByteBuffer out;
    private final UrlMask mask;
    private final boolean isQueryShown;

    Http2Request(ByteBuffer out, UrlMask mask, boolean isQueryShown) {
        this.out = out;
        this.mask = mask;
        this.isQueryShown = isQueryShown;
    }

    /**
     * Copies what there is of the two.
     *
     * @param isCut whether the headers continue after {@code end}
     * @return whether the path was cut, or either of them may be behind the end
     */
    boolean copy(ByteBuffer source, int start, int end, boolean isCut) {
        int method = -1;
        int path = -1;
        int at = start;
        while (at < end && source.get(at) == ':') {
            int value = HeaderBlock.value(source, at, end);
            if (value < end && HeaderBlock.isNamed(source, at, value, METHOD)) {
                method = value;
            } else if (value < end && HeaderBlock.isNamed(source, at, value, PATH)) {
                path = value;
            }
            at = HeaderBlock.next(source, value, end);
        }
        boolean hasMethod = method >= 0 && copyMethod(source, method, end);
        if (path < 0) {
            return isCut && at >= end;
        }
        if (hasMethod) {
            out.put((byte) ' ');
        }
        return copyPath(source, path, end) || (isCut && method < 0);
    }

    private boolean copyMethod(ByteBuffer source, int start, int end) {
        int methodEnd = HeaderBlock.after(source, start, end) - 1;
        if (methodEnd >= end || methodEnd <= start || methodEnd - start > MAX_METHOD_BYTES) {
            return false;
        }
        for (int i = start; i < methodEnd; i++) {
            out.put(source.get(i));
        }
        return true;
    }

    /** Returns whether it is cut. */
    private boolean copyPath(ByteBuffer source, int start, int end) {
        int behind = HeaderBlock.after(source, start, end);
        boolean isPathCut = behind > end;
        int pathEnd = isPathCut ? end : behind - 1;
        if (isQueryShown) {
            for (int i = start; i < pathEnd; i++) {
                out.put(source.get(i));
            }
        } else {
            mask.copyUrl(source, start, pathEnd, isPathCut);
        }
        return isPathCut;
    }
}
