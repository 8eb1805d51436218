package dev.probestream.collector.redact;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Copies a URL, or the target of a request, without what may be a secret in it: {@code /a?user=ann&token=x#y} becomes
 * {@code /a?user=***&token=***}. Of the query (and of a fragment without one) only the names stay. What has no name, or
 * nothing behind its name but {@code =} (which may be the padding of base64), is masked as a whole: {@code ?***}. So are
 * user and password in front of a host.
 */
final class UrlMask {
    private static final byte[] MASK = "***".getBytes(StandardCharsets.US_ASCII);

    /** Where in a URL the copying has come to. */
    enum Position {
        /** At the beginning, where a scheme, user, password and host may stand. */
        START,
        /** In front of the query. */
        PATH,
        /** In the query, at the beginning of a name. */
        NAME,
        /** In what is masked, up to the next {@code &}. */
        VALUE
    }

    private final ByteBuffer out;

    /** @param out takes what is copied; must have room for twice as much as is read, and the mask */
    UrlMask(ByteBuffer out) {
        this.out = out;
    }

    /**
     * Copies a whole URL, absolute from {@code start} to {@code end}.
     *
     * @param isCut whether it goes on behind what is there
     */
    void copyUrl(ByteBuffer source, int start, int end, boolean isCut) {
        int authority = authority(source, start, end);
        if (isCut && authorityEnd(source, Math.max(start, authority), end) == end) {
            mask(); // what looks like a host may be the beginning of a password
        } else {
            copy(source, start, end, Position.START);
        }
    }

    /** Copies bytes of the source, absolute from {@code start} to {@code end}; where it is then. */
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

    void mask() {
        out.put(MASK);
    }

    /** Whether user and password, should there be any, are in these bytes from first to last: a host's end is. */
    static boolean hasWholeAuthority(ByteBuffer source, int start, int end) {
        int authority = authority(source, start, end);
        return authority >= 0 && authorityEnd(source, authority, end) < end;
    }

    /** Copies up to and with what begins the query; the index behind it, or -1 when there is none. */
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

    /** Copies what stands in front of the host, user and password masked; where the copying goes on. */
    private int copyAuthority(ByteBuffer source, int start, int end) {
        int authority = Math.max(start, authority(source, start, end));
        int host = host(source, authority, authorityEnd(source, authority, end));
        if (host == authority) {
            return start;
        }
        copyPlain(source, start, authority);
        mask();
        return host - 1; // with the @
    }

    /** Behind the last @; the beginning when there is none. */
    private static int host(ByteBuffer source, int start, int end) {
        int host = end;
        while (host > start && source.get(host - 1) != '@') {
            host--;
        }
        return host;
    }

    /** Behind {@code scheme://}; -1 when it begins with none. */
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

    /** Copies from the beginning of a name, or from an {@code &}. */
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
