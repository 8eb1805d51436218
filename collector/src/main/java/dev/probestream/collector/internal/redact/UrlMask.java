package dev.probestream.collector.internal.redact;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Copies a URL, or the target of a request, and masks possible secrets: {@code /a?user=ann&token=x#y} becomes {@code
 * /a?user=***&token=***}. Of the query (or of the fragment if there is no query) only the names are kept. A part
 * without a name, or with nothing after its name but {@code =} (which may be base64 padding), is masked completely:
 * {@code ?***}. User and password before a host are masked, too, and what {@link PathMask} masks in the path.
 */
final class UrlMask {
    private static final byte[] MASK = "***".getBytes(StandardCharsets.US_ASCII);

    /** The current position in a URL. */
    enum Position {
        /** At the start, where scheme, user, password and host may be. */
        START,
        /** Before the query. */
        PATH,
        /** In the query, at the start of a name. */
        NAME,
        /** In a masked value, up to the next {@code &}. */
        VALUE
    }

    private final ByteBuffer out;
    private final PathMask path;
    private int pathStart;

    /**
     * @param out receives the copy; its capacity must be twice the length of the text plus the mask
     * @param arePathsShown whether tokens in paths are copied
     */
    UrlMask(ByteBuffer out, boolean arePathsShown) {
        this.out = out;
        this.path = new PathMask(out, false, arePathsShown);
    }

    /**
     * Copies the URL from {@code start} to {@code end} (absolute).
     *
     * @param isCut whether the URL continues after {@code end}
     */
    void copyUrl(ByteBuffer source, int start, int end, boolean isCut) {
        int authority = authority(source, start, end);
        if (isCut && authorityEnd(source, Math.max(start, authority), end) == end) {
            mask(); // an apparent host may be the beginning of a password
        } else {
            copy(source, start, end, Position.START, isCut);
        }
    }

    /**
     * Copies the bytes from {@code start} to {@code end} (absolute) and returns the position after them.
     *
     * @param position of a {@link Position#PATH} that is continued, see {@link #resumePath}
     * @param isCut whether the text continues after {@code end}, unread
     */
    Position copy(ByteBuffer source, int start, int end, Position position, boolean isCut) {
        return switch (position) {
            case START -> {
                if (start == end) {
                    yield Position.START;
                }
                path.begin();
                yield copy(source, copyAuthority(source, start, end), end, Position.PATH, isCut);
            }
            case PATH -> {
                pathStart = start;
                int pathEnd = queryStart(source, start, end);
                boolean hasQuery = pathEnd > start && isQueryStart(source.get(pathEnd - 1));
                path.copy(source, start, hasQuery ? pathEnd - 1 : end, isCut && !hasQuery);
                if (!hasQuery) {
                    yield Position.PATH;
                }
                out.put(source.get(pathEnd - 1));
                yield copyQuery(source, pathEnd, end);
            }
            case NAME -> copyQuery(source, start, end);
            case VALUE -> {
                int next = find(source, '&', start, end);
                yield next == end ? Position.VALUE : copyQuery(source, next, end);
            }
        };
    }

    /** Where the path begins in the text that was copied last. */
    int pathStart() {
        return pathStart;
    }

    /** Takes up a path in its middle, see {@link PathMask#resume}. */
    void resumePath(ByteBuffer tail, boolean isWhole) {
        path.resume(tail, 0, tail.position(), isWhole);
    }

    /** Copies a part of a query, of which {@link #hasValue} is true. */
    void copyNamed(byte[] part) {
        for (byte b : part) {
            out.put(b);
            if (b == '=') {
                break;
            }
        }
        mask();
    }

    /** Whether a part of a query has a name and, behind its {@code =}, a value. */
    static boolean hasValue(byte[] part) {
        int equals = 0;
        while (equals < part.length && part[equals] != '=') {
            equals++;
        }
        int value = equals;
        while (value < part.length && part[value] == '=') {
            value++;
        }
        return equals > 0 && value < part.length;
    }

    /** Whether a part that may continue after {@code end} can turn out to be a name with a value. */
    static boolean mayBeName(ByteBuffer source, int start, int end) {
        int equals = find(source, '=', start, end);
        int value = equals;
        while (value < end && source.get(value) == '=') {
            value++;
        }
        return equals > start && value == end;
    }

    /** Index of the {@code &} that ends a part of a query; {@code end} if there is none. */
    static int partEnd(ByteBuffer source, int start, int end) {
        return find(source, '&', start, end);
    }

    /** Index after the character that begins the query; {@code end} if there is none. */
    static int queryStart(ByteBuffer source, int start, int end) {
        int at = start;
        while (at < end && !isQueryStart(source.get(at))) {
            at++;
        }
        return Math.min(at + 1, end);
    }

    private static boolean isQueryStart(byte b) {
        return b == '?' || b == '#';
    }

    void mask() {
        out.put(MASK);
    }

    /** Whether the bytes contain the end of the host, and so all of user and password if there are any. */
    static boolean hasWholeAuthority(ByteBuffer source, int start, int end) {
        int authority = authority(source, start, end);
        return authority >= 0 && authorityEnd(source, authority, end) < end;
    }

    /** Copies what is before the path, with user and password masked. Returns the index at which the path begins. */
    private int copyAuthority(ByteBuffer source, int start, int end) {
        int authority = Math.max(start, authority(source, start, end));
        int authorityEnd = authorityEnd(source, authority, end);
        int host = host(source, authority, authorityEnd);
        copyPlain(source, start, authority);
        if (host > authority) {
            mask();
            host--; // including the @
        }
        copyPlain(source, host, authorityEnd);
        return authorityEnd;
    }

    /** Index after the last @; {@code start} if there is none. */
    private static int host(ByteBuffer source, int start, int end) {
        int host = end;
        while (host > start && source.get(host - 1) != '@') {
            host--;
        }
        return host;
    }

    /** Index after {@code scheme://}; -1 if the URL does not begin with a scheme. */
    private static int authority(ByteBuffer source, int start, int end) {
        int at = start;
        while (at < end && isOfScheme(source.get(at))) {
            at++;
        }
        boolean isAuthority = at > start
                && at + 3 <= end
                && source.get(at) == ':'
                && source.get(at + 1) == '/'
                && source.get(at + 2) == '/';
        return isAuthority ? at + 3 : -1;
    }

    private static boolean isOfScheme(byte b) {
        int lower = b | 0x20;
        return (lower >= 'a' && lower <= 'z') || (b >= '0' && b <= '9') || b == '+' || b == '-' || b == '.';
    }

    private static int authorityEnd(ByteBuffer source, int start, int end) {
        int at = start;
        while (at < end && source.get(at) != '/' && source.get(at) != '?' && source.get(at) != '#') {
            at++;
        }
        return at;
    }

    /** Copies from the start of a name, or from an {@code &}. */
    private Position copyQuery(ByteBuffer source, int start, int end) {
        int at = start;
        while (true) {
            int partEnd = find(source, '&', at, end);
            copyPart(source, at, partEnd);
            if (partEnd == end) {
                return at == end ? Position.NAME : Position.VALUE;
            }
            out.put((byte) '&');
            at = partEnd + 1;
        }
    }

    private void copyPart(ByteBuffer source, int start, int end) {
        if (start == end) {
            return;
        }
        int equals = find(source, '=', start, end);
        int value = equals;
        while (value < end && source.get(value) == '=') {
            value++;
        }
        if (equals > start && value < end) {
            copyPlain(source, start, equals + 1);
        }
        mask();
    }

    private void copyPlain(ByteBuffer source, int start, int end) {
        for (int i = start; i < end; i++) {
            out.put(source.get(i));
        }
    }

    private static int find(ByteBuffer source, char wanted, int start, int end) {
        int at = start;
        while (at < end && source.get(at) != wanted) {
            at++;
        }
        return at;
    }
}
