package dev.probestream.collector.internal.redact;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Copies a URL, or the target of a request, and masks possible secrets: {@code /a?user=ann&token=x#y} becomes {@code
 * /a?user=***&token=***}. Of the query (or of the fragment if there is no query) only the names are kept. A part
 * without a name, or with nothing after its name but {@code =} (which may be base64 padding), is masked completely:
 * {@code ?***}. User and password before a host are masked, too.
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

    /** @param out receives the copy; its capacity must be twice the length of the text plus the mask */
    UrlMask(ByteBuffer out) {
        this.out = out;
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
            copy(source, start, end, Position.START);
        }
    }

    /** Copies the bytes from {@code start} to {@code end} (absolute) and returns the position after them. */
    Position copy(ByteBuffer source, int start, int end, Position position) {
        return switch (position) {
            case START ->
                start == end ? Position.START : copy(source, copyAuthority(source, start, end), end, Position.PATH);
            case PATH -> {
                int query = copyPath(source, start, end);
                yield query < 0 ? Position.PATH : copyQuery(source, query, end);
            }
            case NAME -> copyQuery(source, start, end);
            case VALUE -> {
                int next = find(source, '&', start, end);
                yield next == end ? Position.VALUE : copyQuery(source, next, end);
            }
        };
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
        while (at < end && source.get(at) != '?' && source.get(at) != '#') {
            at++;
        }
        return Math.min(at + 1, end);
    }

    void mask() {
        out.put(MASK);
    }

    /** Whether the bytes contain the end of the host, and so all of user and password if there are any. */
    static boolean hasWholeAuthority(ByteBuffer source, int start, int end) {
        int authority = authority(source, start, end);
        return authority >= 0 && authorityEnd(source, authority, end) < end;
    }

    /**
     * Copies up to and including the character that begins the query. Returns the index after it, or -1 if there is no
     * query.
     */
    private int copyPath(ByteBuffer source, int start, int end) {
        int at = start;
        while (at < end) {
            byte b = source.get(at++);
            out.put(b);
            if (b == '?' || b == '#') {
                return at;
            }
        }
        return -1;
    }

    /** Copies the part before the host with user and password masked. Returns the index at which copying continues. */
    private int copyAuthority(ByteBuffer source, int start, int end) {
        int authority = Math.max(start, authority(source, start, end));
        int host = host(source, authority, authorityEnd(source, authority, end));
        if (host == authority) {
            return start;
        }
        copyPlain(source, start, authority);
        mask();
        return host - 1; // including the @
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
