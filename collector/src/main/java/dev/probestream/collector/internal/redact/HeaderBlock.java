package dev.probestream.collector.internal.redact;

import java.nio.ByteBuffer;

/**
 * A block of HTTP/2 headers as Node submits them (node::NgHeaders, src/node_http_common-inl.h): name, NUL, value, NUL, one byte
 * of flags, again and again.
 */
final class HeaderBlock {
    private HeaderBlock() {}

    /** {@return where the value begins whose name begins at {@code name}; behind the end if it is not in the block} */
    static int value(ByteBuffer source, int name, int end) {
        return after(source, name, end);
    }

    /** {@return where the next name begins behind the value that begins at {@code value}} */
    static int next(ByteBuffer source, int value, int end) {
        return after(source, value, end) + 1;
    }

    /** {@return behind the next NUL; one more than the end if there is none} */
    static int after(ByteBuffer source, int start, int end) {
        int at = start;
        while (at < end && source.get(at) != 0) {
            at++;
        }
        return Math.min(at, end) + 1;
    }

    /** {@return whether the name that ends one byte before {@code value} is this one} */
    static boolean isNamed(ByteBuffer source, int start, int value, byte[] name) {
        if (value - start != name.length + 1) {
            return false;
        }
        for (int i = 0; i < name.length; i++) {
            if (source.get(start + i) != name[i]) {
                return false;
            }
        }
        return true;
    }
}
