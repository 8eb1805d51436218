package dev.probestream.collector.internal.redact;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.ByteBuffer;

/**
 * Copies what Node prints of an uncaught error (ReportFatalException in src/node_errors.cc):
 *
 * <pre>
 *   /srv/app.js:10                                    copied: file and line
 *       throw new Error('no ' + name);                left out: a line of source
 *       ^                                             left out
 *
 *   TypeError: no x                                   copied, with secrets masked as in an argument ({@link ArgumentMask})
 *       at handler (/srv/app.js:10:11) {              copied: the stack
 *     code: 'E_NO',                                   copied if it is a code of an error ({@link #isErrorCode})
 *     detail: 'x'                                     left out: the error's other properties, which may hold anything
 *   }
 * </pre>
 *
 * A thrown value that is no error is copied up to the first line that ends with an opening bracket. A message may have many
 * lines. Linear time, no allocation. Not thread-safe.
 */
final class ErrorMask {
    private static final byte[] AT = SecretName.bytes("at ")[0];
    private static final byte[] ERROR = SecretName.bytes("error")[0];
    private static final byte[] EXCEPTION = SecretName.bytes("exception")[0];
    private static final byte[] CODE = "  code: '".getBytes(US_ASCII);

    /** ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC has 43. */
    private static final int MAX_CODE_BYTES = 48;

    private static final int MIN_CODE_BYTES = 3;

    /** ERR_HTTP2_GOAWAY_SESSION has one; a token of capitals and digits has more. */
    private static final int MAX_CODE_DIGITS = 2;

    private final ByteBuffer out;
    private final ArgumentMask arguments;

    /** @param out receives the copy; its capacity must be twice the length of the text plus some bytes */
    ErrorMask(ByteBuffer out) {
        this.out = out;
        this.arguments = new ArgumentMask(out);
    }

    void copy(ByteBuffer source, int start, int end) {
        int at = start;
        while (at < end && source.get(at) == '\n') {
            at++;
        }
        int place = placeEnd(source, at, end);
        if (place > at) {
            plain(source, at, place);
            at = behindExcerpt(source, place, end);
        }
        int first = at;
        int lastFrame = lastFrame(source, at, end);
        while (at < end) {
            int lineEnd = lineEnd(source, at, end);
            boolean isMessage = at < lastFrame && !isFrame(source, at, lineEnd);
            boolean isThrownValue = at == first && behindClass(source, at, lineEnd) == at;
            boolean opens = (!isMessage || isThrownValue) && opensProperties(source, at, lineEnd);
            line(source, at, opens ? lineEnd - 1 : lineEnd);
            if (opens) {
                Mask.write(out);
                code(source, lineEnd, end);
                return;
            }
            if (lineEnd < end) {
                out.put((byte) '\n');
            }
            at = lineEnd + 1;
        }
    }

    /** The end of {@code FILE:LINE}, which is a line of its own; else {@code at}. */
    private static int placeEnd(ByteBuffer source, int at, int end) {
        int lineEnd = lineEnd(source, at, end);
        int digits = lineEnd;
        while (digits > at && isDigit(source.get(digits - 1))) {
            digits--;
        }
        boolean isPlace = digits < lineEnd && digits - 1 > at && source.get(digits - 1) == ':';
        for (int i = at; i < digits && isPlace; i++) {
            // A message has blanks before a number at its end; the names of Node's own files have none.
            isPlace = source.get(i) != ' ' || source.get(at) == '/';
        }
        return isPlace && lineEnd < end ? lineEnd : at;
    }

    /** Behind the line of carets; the end if there is none, for the line of source was cut. */
    private int behindExcerpt(ByteBuffer source, int place, int end) {
        out.put((byte) '\n');
        int at = place + 1;
        while (at < end) {
            int lineEnd = lineEnd(source, at, end);
            if (isCarets(source, at, lineEnd)) {
                return Math.min(end, lineEnd + 1);
            }
            at = lineEnd + 1;
        }
        return end;
    }

    private static boolean isCarets(ByteBuffer source, int at, int lineEnd) {
        boolean hasCaret = false;
        for (int i = at; i < lineEnd; i++) {
            hasCaret |= source.get(i) == '^';
            if (source.get(i) != '^' && source.get(i) != ' ' && source.get(i) != '\t') {
                return false;
            }
        }
        return hasCaret;
    }

    private static boolean opensProperties(ByteBuffer source, int at, int lineEnd) {
        return lineEnd > at && (source.get(lineEnd - 1) == '{' || source.get(lineEnd - 1) == '[');
    }

    /** Copies the line of the error's own {@code code}, which has two blanks before it; those of nested objects have more. */
    private void code(ByteBuffer source, int start, int end) {
        for (int at = start + 1; at < end; at = lineEnd(source, at, end) + 1) {
            int name = at + CODE.length;
            int i = 0;
            while (i < CODE.length && at + i < end && source.get(at + i) == CODE[i]) {
                i++;
            }
            if (i == CODE.length) {
                int nameEnd = name;
                while (nameEnd < end && source.get(nameEnd) != '\'' && source.get(nameEnd) != '\n') {
                    nameEnd++;
                }
                if (nameEnd < end && source.get(nameEnd) == '\'' && isErrorCode(source, name, nameEnd)) {
                    out.put((byte) '\n');
                    plain(source, at, nameEnd + 1);
                }
                return;
            }
        }
    }

    /** As system calls, Node and MySQL name them: E, then capitals, underscores and at most two digits. */
    private static boolean isErrorCode(ByteBuffer source, int start, int end) {
        int digits = 0;
        boolean isName = true;
        for (int i = start; i < end && isName; i++) {
            byte b = source.get(i);
            digits += isDigit(b) ? 1 : 0;
            isName = (b >= 'A' && b <= 'Z') || b == '_' || isDigit(b);
        }
        return isName
                && digits <= MAX_CODE_DIGITS
                && end - start >= MIN_CODE_BYTES
                && end - start <= MAX_CODE_BYTES
                && source.get(start) == 'E';
    }

    private void line(ByteBuffer source, int at, int lineEnd) {
        if (isFrame(source, at, lineEnd) && !hasScheme(source, at, lineEnd)) {
            plain(source, at, lineEnd);
            return;
        }
        int message = behindClass(source, at, lineEnd);
        plain(source, at, message);
        arguments.begin();
        arguments.copy(source, message, lineEnd);
    }

    /** Where the last line of a stack begins; -1 if there is none. */
    private static int lastFrame(ByteBuffer source, int start, int end) {
        int last = -1;
        for (int at = start; at < end; at = lineEnd(source, at, end) + 1) {
            last = isFrame(source, at, lineEnd(source, at, end)) ? at : last;
        }
        return last;
    }

    private static boolean isFrame(ByteBuffer source, int at, int lineEnd) {
        int text = at;
        while (text < lineEnd && source.get(text) == ' ') {
            text++;
        }
        return text > at && SecretName.startsWith(source, text, lineEnd, AT);
    }

    /** Behind the class of an error and its colon ({@code TokenError:}), which is no name of a secret. */
    private static int behindClass(ByteBuffer source, int at, int lineEnd) {
        int i = at;
        while (i < lineEnd && source.get(i) != ':' && source.get(i) != ' ') {
            i++;
        }
        boolean isClass = i < lineEnd
                && source.get(i) == ':'
                && (endsWith(source, at, i, ERROR) || endsWith(source, at, i, EXCEPTION));
        return isClass ? i + 1 : at;
    }

    private static boolean endsWith(ByteBuffer source, int at, int end, byte[] lowerCase) {
        return end - at >= lowerCase.length && SecretName.startsWith(source, end - lowerCase.length, end, lowerCase);
    }

    private static boolean hasScheme(ByteBuffer source, int at, int lineEnd) {
        for (int i = at; i + 2 < lineEnd; i++) {
            if (source.get(i) == ':' && source.get(i + 1) == '/' && source.get(i + 2) == '/') {
                return true;
            }
        }
        return false;
    }

    private static int lineEnd(ByteBuffer source, int at, int end) {
        int i = at;
        while (i < end && source.get(i) != '\n') {
            i++;
        }
        return i;
    }

    private static boolean isDigit(byte b) {
        return b >= '0' && b <= '9';
    }

    private void plain(ByteBuffer source, int start, int end) {
        for (int i = start; i < end; i++) {
            out.put(source.get(i));
        }
    }
}
