package dev.probestream.convert.merge.track;

import dev.probestream.convert.shape.Utf8;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;

/**
 * The bytes of a file, unpacked, with their positions. That a compressed file was cut off looks like its end. Optionally,
 * bytes that are not UTF-8 are replaced one for one, so that positions stay: programs put what they please into their
 * traces, and one bad name must not cost the rest.
 */
public final class TraceBytes extends InputStream {
    private static final int BUFFER_BYTES = 1 << 16;
    private static final int MAX_CHARACTER_BYTES = 4;
    private static final byte REPLACEMENT = '?';

    private final InputStream in;
    private final boolean isText;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private int next;
    private int checked;
    private int limit;
    private long consumedBytes;
    private boolean isAtEnd;
    private boolean isCompressionCut;

    /** @param in is closed with this; unpacks if it is compressed */
    public TraceBytes(InputStream in, boolean isText) {
        this.in = in;
        this.isText = isText;
    }

    /** How many bytes there were; known when the end was reached. */
    public long sizeBytes() {
        return consumedBytes + limit - next;
    }

    /** How many bytes were taken. */
    public long positionBytes() {
        return consumedBytes;
    }

    /** Whether everything was read from the file. */
    public boolean isAtEnd() {
        return isAtEnd;
    }

    /** Whether the compressed data ended too early. */
    public boolean isCompressionCut() {
        return isCompressionCut;
    }

    @Override
    public int read() throws IOException {
        if (!fill()) {
            return -1;
        }
        consumedBytes++;
        return buffer[next++] & 0xFF;
    }

    @Override
    public int read(byte[] to, int offset, int lengthBytes) throws IOException {
        if (lengthBytes == 0) {
            return 0;
        }
        if (!fill()) {
            return -1;
        }
        int taken = Math.min(lengthBytes, checked - next);
        System.arraycopy(buffer, next, to, offset, taken);
        next += taken;
        consumedBytes += taken;
        return taken;
    }

    /** Makes sure of at least one checked byte; false = there are no more. */
    private boolean fill() throws IOException {
        while (next == checked) {
            if (isAtEnd && checked == limit) {
                return false;
            }
            System.arraycopy(buffer, next, buffer, 0, limit - next);
            limit -= next;
            next = 0;
            int read = isAtEnd ? -1 : readMore();
            if (read < 0) {
                isAtEnd = true;
            } else {
                limit += read;
            }
            checked = isText ? check() : limit;
        }
        return true;
    }

    private int readMore() throws IOException {
        try {
            return in.read(buffer, limit, buffer.length - limit);
        } catch (EOFException e) {
            isCompressionCut = true;
            return -1;
        }
    }

    /** Replaces invalid UTF-8, up to where a character may still be incomplete, and returns that place. */
    private int check() {
        int at = 0;
        while (at < limit) {
            int character = Utf8.characterBytes(buffer, at, limit);
            if (character == 0) {
                if (!isAtEnd && limit - at < MAX_CHARACTER_BYTES) {
                    return at;
                }
                buffer[at] = REPLACEMENT;
                character = 1;
            }
            at += character;
        }
        return limit;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
