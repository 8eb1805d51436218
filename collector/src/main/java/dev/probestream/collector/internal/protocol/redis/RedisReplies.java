package dev.probestream.collector.internal.protocol.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.probestream.collector.internal.protocol.Moment;
import dev.probestream.collector.internal.protocol.ProtocolException;

/**
 * Cuts what a server answers into replies (RESP2 and RESP3). Of a reply its type is kept, and of its first line or text the
 * first bytes.
 */
final class RedisReplies {
    private static final int KEPT_BYTES = 64;
    private static final int MAX_DEPTH = 32;
    private static final int MAX_LINE_BYTES = 64 * 1024;
    private static final long MAX_BULK_BYTES = 512L << 20;
    private static final long MAX_ELEMENTS = 0xffff_ffffL;
    private static final int MAX_NUMBER_LINE_BYTES = 16;

    /** Takes a reply when it is complete. */
    interface Receiver {
        /**
         * A reply.
         *
         * @param type the mark of its first line; of an array without elements in place of nothing {@code _}
         * @param first the first line of a simple reply without its mark, or the first text of an array; cut
         */
        void reply(Moment at, char type, String first, long sizeBytes) throws ProtocolException;
    }

    private final Receiver receiver;
    private final byte[] line = new byte[KEPT_BYTES];
    private int lineBytes;
    private final long[] remaining = new long[MAX_DEPTH];
    private int depth;
    /** Of the current text with its line end; -1: a line is read. */
    private long remainingBytes = -1;

    private char type;
    private String first = "";
    private boolean isFirstKnown;
    private long sizeBytes;

    RedisReplies(Receiver receiver) {
        this.receiver = receiver;
    }

    void reset() {
        lineBytes = 0;
        depth = 0;
        remainingBytes = -1;
        sizeBytes = 0;
    }

    /** Whether a reply has begun and not ended. */
    boolean hasBegun() {
        return sizeBytes > 0;
    }

    /** Whether elements of the reply that has begun are still to come. */
    boolean isInArray() {
        return depth > 0;
    }

    /** Whether the reply that has begun is a text, which ends where it says. */
    boolean isOfKnownLength() {
        return depth == 0 && remainingBytes >= 0;
    }

    /** Of the reply that has begun: the mark of its first line. */
    char type() {
        return type;
    }

    /** Of the reply that has begun, what was taken of it. */
    long sizeBytes() {
        return sizeBytes;
    }

    void take(Moment at, byte[] bytes, int start, int end) throws ProtocolException {
        int from = start;
        while (from < end) {
            if (remainingBytes >= 0) {
                int some = (int) Math.min(end - from, remainingBytes);
                keepText(bytes, from, some);
                from += some;
                text(at, some);
            } else {
                byte b = bytes[from++];
                sizeBytes++;
                if (b == '\n') {
                    line(at);
                } else {
                    if (lineBytes < KEPT_BYTES) {
                        line[lineBytes] = b;
                    }
                    lineBytes++;
                    if (lineBytes > MAX_LINE_BYTES) {
                        throw new ProtocolException("a line of Redis that is too long");
                    }
                }
            }
        }
    }

    /** Bytes are missing here; false if it is not known where the next reply begins. */
    boolean skip(Moment at, long missing) throws ProtocolException {
        if (missing == 0) {
            return true;
        }
        if (remainingBytes < missing) {
            return false;
        }
        text(at, missing);
        return true;
    }

    private void keepText(byte[] bytes, int from, int some) {
        if (!isFirstKnown && depth == 1) {
            int kept = (int) Math.max(0, Math.min(Math.min(some, remainingBytes - 2), KEPT_BYTES - lineBytes));
            System.arraycopy(bytes, from, line, lineBytes, kept);
            lineBytes += kept;
        }
    }

    private void text(Moment at, long some) throws ProtocolException {
        sizeBytes += some;
        remainingBytes -= some;
        if (remainingBytes == 0) {
            remainingBytes = -1;
            know(new String(line, 0, lineBytes, US_ASCII));
            lineBytes = 0;
            element(at);
        }
    }

    private void know(String text) {
        if (!isFirstKnown && depth <= 1) {
            first = text;
            isFirstKnown = true;
        }
    }

    private void line(Moment at) throws ProtocolException {
        int length = Math.min(lineBytes, KEPT_BYTES);
        length -= length > 0 && line[length - 1] == '\r' ? 1 : 0;
        if (length == 0) {
            throw new ProtocolException("an empty line of Redis");
        }
        char mark = (char) line[0];
        boolean isNumbered = "$=!*~>%|".indexOf(mark) >= 0;
        if (isNumbered && lineBytes > MAX_NUMBER_LINE_BYTES) {
            throw new ProtocolException("no number of Redis behind " + mark);
        }
        if (depth == 0) {
            type = mark;
            first = "";
            isFirstKnown = false;
        }
        lineBytes = 0;
        switch (mark) {
            case '+', '-', ':', ',', '(', '#', '_' -> {
                know(new String(line, 1, length - 1, US_ASCII));
                element(at);
            }
            case '$', '=', '!' -> {
                long size = RedisNumbers.of(line, length, mark, MAX_BULK_BYTES);
                if (size < 0) {
                    type = depth == 0 ? '_' : type;
                    element(at);
                } else {
                    remainingBytes = size + 2;
                }
            }
            case '*', '~', '>', '%', '|' -> {
                long count = RedisNumbers.of(line, length, mark, MAX_ELEMENTS);
                open(at, count < 0 ? 0 : mark == '%' || mark == '|' ? 2 * count : count, count < 0);
            }
            default -> throw new ProtocolException("no reply of Redis begins with " + (int) mark);
        }
    }

    private void open(Moment at, long elements, boolean isNothing) throws ProtocolException {
        if (isNothing && depth == 0) {
            type = '_';
        }
        if (elements == 0) {
            element(at);
        } else if (depth == MAX_DEPTH) {
            throw new ProtocolException("a reply of Redis that is too deep");
        } else {
            remaining[depth++] = elements;
        }
    }

    /** An element is complete, and with it perhaps what it is in. */
    private void element(Moment at) throws ProtocolException {
        while (depth > 0 && --remaining[depth - 1] == 0) {
            depth--;
        }
        boolean isWhole = depth == 0;
        if (isWhole && type == '|') {
            return; // attributes of the reply that follows
        }
        if (isWhole) {
            long size = sizeBytes;
            sizeBytes = 0;
            receiver.reply(at, type, first, size);
        }
    }
}
