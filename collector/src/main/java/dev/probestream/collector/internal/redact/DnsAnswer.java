package dev.probestream.collector.internal.redact;

import java.nio.ByteBuffer;

/**
 * Copies the name that was asked for, or the addresses that were found, out of the answer to a DNS query. Nothing of other records
 * is copied, and nothing of other messages.
 *
 * <p>An answer (RFC 1035, 4.1; numbers are of the network's order):
 * <pre>
 * offset  bytes
 * 0       12     header: id, flags, then how many questions (at 4), answers (at 6) ... follow, of 2 bytes each
 * 12      name   of the question: labels, each behind its length, to one of length 0
 *         4      type, class
 *         then for each answer
 *         name   as above, but a length of 0xc0 or more ends it: with the next byte it leads to the rest
 *         2 + 2  type, class
 *         4      time to live
 *         2      length of the data
 *                data: of type A 4 bytes, of AAAA 16 (RFC 3596)
 * </pre>
 */
final class DnsAnswer {
    private static final int QUESTIONS_OFFSET = 4;
    private static final int ANSWERS_OFFSET = 6;
    private static final int HEADER_BYTES = 12;
    private static final int QUESTION_BYTES = 4;
    private static final int CLASS_OFFSET = 2;
    private static final int LENGTH_OFFSET = 8;
    private static final int RECORD_BYTES = 10;
    private static final int POINTER = 0xc0;
    private static final int POINTER_BYTES = 2;
    private static final int MAX_LABEL_BYTES = 63;
    private static final int MAX_NAME_BYTES = 255;
    private static final int TYPE_A = 1;
    private static final int TYPE_AAAA = 28;
    private static final int CLASS_IN = 1;

    private final ByteBuffer out;

    DnsAnswer(ByteBuffer out) {
        this.out = out;
    }

    /** Copies the name of the question, with dots, if all of it is there: {@code db.test}. */
    void copyName(ByteBuffer source, int start, int end) {
        int nameEnd = questionEnd(source, start, end) - QUESTION_BYTES;
        int before = out.position();
        for (int at = start + HEADER_BYTES; at < nameEnd - 1; ) {
            int labelEnd = at + 1 + Byte.toUnsignedInt(source.get(at));
            if (out.position() > before) {
                out.put((byte) '.');
            }
            for (at++; at < labelEnd; at++) {
                byte character = source.get(at);
                if (character <= ' ' || character > '~' || character == '.') {
                    out.position(before);
                    return;
                }
                out.put(character);
            }
        }
    }

    /**
     * Copies the addresses, with blanks between them: {@code 10.0.0.3 fd00::3}.
     *
     * @param isCut whether the answer continues after {@code end}
     * @return whether addresses may be behind the end; then a blank stands behind the last one
     */
    boolean copyAddresses(ByteBuffer source, int start, int end, boolean isCut) {
        int at = questionEnd(source, start, end);
        if (at < 0) {
            return isCut;
        }
        int before = out.position();
        for (int left = number(source, start + ANSWERS_OFFSET); left > 0; left--) {
            int record = nameEnd(source, at, end);
            if (record < 0 || record + RECORD_BYTES > end) {
                return cut(isCut, before);
            }
            int data = record + RECORD_BYTES;
            int dataBytes = number(source, record + LENGTH_OFFSET);
            if (data + dataBytes > end) {
                return cut(isCut, before);
            }
            if (number(source, record + CLASS_OFFSET) == CLASS_IN) {
                copyAddress(source, number(source, record), data, dataBytes, before);
            }
            at = data + dataBytes;
        }
        return false;
    }

    private void copyAddress(ByteBuffer source, int type, int data, int dataBytes, int before) {
        boolean isIpv4 = type == TYPE_A && dataBytes == InternetAddress.IPV4_BYTES;
        boolean isIpv6 = type == TYPE_AAAA && dataBytes == InternetAddress.IPV6_BYTES;
        if ((isIpv4 || isIpv6) && out.position() > before) {
            out.put((byte) ' ');
        }
        if (isIpv4) {
            InternetAddress.writeIpv4(source, data, out);
        } else if (isIpv6) {
            InternetAddress.writeIpv6(source, data, out);
        }
    }

    private boolean cut(boolean isCut, int before) {
        if (isCut && out.position() > before) {
            out.put((byte) ' ');
        }
        return isCut;
    }

    /** Behind the one question; negative = there is none, or it is not all there. */
    private static int questionEnd(ByteBuffer source, int start, int end) {
        if (end - start < HEADER_BYTES || number(source, start + QUESTIONS_OFFSET) != 1) {
            return -1;
        }
        int name = start + HEADER_BYTES;
        int last = lastOfName(source, name, end);
        int questionEnd = last + 1 + QUESTION_BYTES;
        return last >= 0 && last - name < MAX_NAME_BYTES && source.get(last) == 0 && questionEnd <= end
                ? questionEnd
                : -1;
    }

    /** Behind the name of an answer; negative = it goes beyond the end. */
    private static int nameEnd(ByteBuffer source, int start, int end) {
        int last = lastOfName(source, start, end);
        return last < 0 ? last : last + (source.get(last) == 0 ? 1 : POINTER_BYTES);
    }

    /** The byte behind the labels: 0, or the first one of a pointer; negative = there is none. */
    private static int lastOfName(ByteBuffer source, int start, int end) {
        int at = start;
        while (at < end) {
            int length = Byte.toUnsignedInt(source.get(at));
            if (length == 0 || length >= POINTER) {
                return at;
            }
            if (length > MAX_LABEL_BYTES) {
                return -1;
            }
            at += 1 + length;
        }
        return -1;
    }

    private static int number(ByteBuffer source, int at) {
        return (Byte.toUnsignedInt(source.get(at)) << Byte.SIZE) | Byte.toUnsignedInt(source.get(at + 1));
    }
}
