package dev.probestream.cli.live;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A buffer of lines in UTF-8. Text of traced processes must be added with {@link #escaped} or {@link #jsonText}, so that
 * its control characters do not reach a terminal.
 */
public final class LineBuffer {
    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] UPPER_HEX = "0123456789ABCDEF".getBytes(StandardCharsets.US_ASCII);

    private byte[] bytes = new byte[1 << 16];
    private int length;

    /** The bytes; valid until the next append. */
    public byte[] bytes() {
        return bytes;
    }

    /** The number of valid bytes in {@link #bytes()}. */
    public int length() {
        return length;
    }

    /** Removes all lines. */
    public void clear() {
        length = 0;
    }

    /** Appends an ASCII character. */
    public LineBuffer ascii(char c) {
        ensure(1);
        bytes[length++] = (byte) c;
        return this;
    }

    /** Keeps the first so many bytes. */
    public void cut(int lengthBytes) {
        length = lengthBytes;
    }

    /** Appends trusted text unchanged. */
    public LineBuffer text(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) > 127) {
                return raw(text.substring(i).getBytes(StandardCharsets.UTF_8));
            }
            ascii(text.charAt(i));
        }
        return this;
    }

    /** Appends untrusted text; control characters are shown as {@code \n} or {@code \x1b}. */
    public LineBuffer escaped(String text) {
        if (isPlain(text)) {
            return text(text);
        }
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        return escaped(utf8, 0, utf8.length, false);
    }

    /**
     * The same for UTF-8.
     *
     * @param isQuoted whether double quotes and backslashes are escaped, too
     */
    public LineBuffer escaped(byte[] utf8, int offset, int lengthBytes, boolean isQuoted) {
        int end = offset + lengthBytes;
        for (int i = offset; i < end; i++) {
            int b = utf8[i] & 0xff;
            if (isControl(b)) {
                control(b);
            } else if (b == 0xc2 && i + 1 < end && (utf8[i + 1] & 0xff) < 0xa0) {
                control(utf8[++i]
                        & 0xff); // U+0080 to U+009F, among which is a second way to begin a terminal's commands
            } else if (isQuoted && (b == '"' || b == '\\')) {
                ascii('\\').ascii((char) b);
            } else {
                ascii((char) b);
            }
        }
        return this;
    }

    /** Appends a byte as a character. */
    public LineBuffer character(int b) {
        if (isControl(b) || b > 127) {
            control(b);
        } else {
            ascii((char) b);
        }
        return this;
    }

    /** A string of JSON (RFC 8259), with its quotes. */
    public LineBuffer jsonText(String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        return jsonText(utf8, 0, utf8.length);
    }

    /** The same for UTF-8. */
    public LineBuffer jsonText(byte[] utf8, int offset, int lengthBytes) {
        ascii('"');
        for (int i = offset; i < offset + lengthBytes; i++) {
            int b = utf8[i] & 0xff;
            if (b == '"' || b == '\\') {
                ascii('\\').ascii((char) b);
            } else if (isControl(b)) {
                text("\\u00").hexByte(b);
            } else {
                ascii((char) b);
            }
        }
        return ascii('"');
    }

    /** A signed number. */
    public LineBuffer number(long value) {
        if (value < 0) {
            ascii('-');
        }
        return unsigned(value < 0 ? -value : value); // the smallest long is its own negative, and right as unsigned
    }

    /** The bits as an unsigned number. */
    public LineBuffer unsigned(long value) {
        if (value < 0) {
            unsigned(Long.divideUnsigned(value, 10));
            return ascii((char) ('0' + Long.remainderUnsigned(value, 10)));
        }
        int digits = 1;
        for (long rest = value / 10; rest > 0; rest /= 10) {
            digits++;
        }
        return decimal(value, digits);
    }

    /** The last so many decimal digits of a number that is not negative. */
    public LineBuffer decimal(long value, int digits) {
        ensure(digits);
        long rest = value;
        for (int i = length + digits - 1; i >= length; i--) {
            bytes[i] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        length += digits;
        return this;
    }

    /** In a base of 2 to the power of {@code bits}, without leading zeros. */
    public LineBuffer inBase(long value, int bits, boolean isUpper) {
        int digits = Math.max(1, (Long.SIZE - Long.numberOfLeadingZeros(value) + bits - 1) / bits);
        ensure(digits);
        for (int i = digits - 1; i >= 0; i--) {
            int digit = (int) (value >>> (i * bits)) & ((1 << bits) - 1);
            bytes[length++] = isUpper ? UPPER_HEX[digit] : HEX[digit];
        }
        return this;
    }

    /** Nanoseconds as seconds with six decimals, cut. */
    public LineBuffer seconds(long ns) {
        return unsigned(ns / 1_000_000_000).ascii('.').decimal(ns / 1000 % 1_000_000, 6);
    }

    /** A duration with a unit that fits it: {@code 950 ns}, {@code 1.2 us}, {@code 34.5 ms} or {@code 2.1 s}. */
    public LineBuffer duration(long ns) {
        if (ns < 1000) {
            return number(ns).text(" ns");
        }
        // Rounded to tenths of the unit; what then is a thousand of it is one of the next.
        String[] units = {" us", " ms", " s"};
        long unitNs = 1000;
        int unit = 0;
        while (unit < units.length - 1 && (ns + unitNs / 20) / unitNs >= 1000) {
            unitNs *= 1000;
            unit++;
        }
        long tenths = (ns + unitNs / 20) / (unitNs / 10);
        return unsigned(tenths / 10).ascii('.').decimal(tenths % 10, 1).text(units[unit]);
    }

    /** Makes what was appended since {@code start} at least so many characters wide. */
    public LineBuffer padSince(int start, int width, boolean isLeftAligned) {
        int missing = width - characters(start);
        return missing <= 0 ? this : isLeftAligned ? fill(length, missing, ' ') : fill(start, missing, ' ');
    }

    /** Puts so many of a character in at {@code at}. */
    public LineBuffer fill(int at, int count, char c) {
        ensure(count);
        System.arraycopy(bytes, at, bytes, at + count, length - at);
        Arrays.fill(bytes, at, at + count, (byte) c);
        length += count;
        return this;
    }

    /** How many characters were appended since {@code start}. */
    int characters(int start) {
        int count = 0;
        for (int i = start; i < length; i++) {
            count += (bytes[i] & 0xc0) == 0x80 ? 0 : 1;
        }
        return count;
    }

    private LineBuffer raw(byte[] utf8) {
        ensure(utf8.length);
        System.arraycopy(utf8, 0, bytes, length, utf8.length);
        length += utf8.length;
        return this;
    }

    private void control(int b) {
        switch (b) {
            case '\n' -> text("\\n");
            case '\t' -> text("\\t");
            case '\r' -> text("\\r");
            default -> text("\\x").hexByte(b);
        }
    }

    private LineBuffer hexByte(int b) {
        return ascii((char) HEX[b >> 4]).ascii((char) HEX[b & 15]);
    }

    private static boolean isControl(int b) {
        return b < 0x20 || b == 0x7f;
    }

    private static boolean isPlain(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) > 126 || text.charAt(i) < ' ') {
                return false;
            }
        }
        return true;
    }

    private void ensure(int sizeBytes) {
        if (bytes.length - length < sizeBytes) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + sizeBytes));
        }
    }
}
