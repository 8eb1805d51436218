package dev.probestream.collector.internal.redact;

import java.nio.ByteBuffer;

/**
 * Copies the arguments of a command line, one after the other, and masks what may be a secret:
 *
 * <ul>
 *   <li>the value of an option, variable or member whose name indicates a secret ({@link SecretName}): {@code
 *       --password=x}, {@code --token x}, {@code API_KEY=x}, {@code "password": "x"}, {@code Authorization: Bearer x};
 *   <li>the short options that take a password in a known program ({@link PasswordOption}): {@code mysql -px};
 *   <li>in URLs user and password, and the values of the query;
 *   <li>in paths of URLs and files what {@link PathMask} masks;
 *   <li>words that look like an access token ({@link TokenShape}).
 * </ul>
 *
 * <p>An argument may itself be a line for a shell ({@code sh -c LINE}): its words are treated likewise. What may belong
 * to a secret is masked: the value of an option at the start of an argument extends to the end of the argument. Takes
 * linear time and allocates nothing. Not thread-safe.
 */
final class ArgumentMask {
    private final ByteBuffer out;
    private final PathMask urlPath;
    private final PathMask filePath;
    private PasswordOption option = PasswordOption.NONE;
    private boolean isNextSecret;
    /** Whether this program's own words are copied, among them specs of probes. */
    private boolean isOurs;
    /** Whether names in the current argument are ignored: it is a spec of a probe. */
    private boolean isSpec;

    /** @param out receives the copy; its capacity must be twice the length of the argument plus some bytes */
    ArgumentMask(ByteBuffer out) {
        this.out = out;
        this.urlPath = new PathMask(out, false, false);
        this.filePath = new PathMask(out, true, false);
    }

    /** Begins a command line. */
    void begin() {
        option = PasswordOption.NONE;
        isNextSecret = false;
        isOurs = false;
    }

    /**
     * Begins the command line of this program. Up to {@code --}, a word with a parenthesis is a spec of a probe, in which
     * {@code key=arg1:s32} is the name of an argument: only URLs and tokens are masked there.
     */
    void beginOurs() {
        begin();
        isOurs = true;
    }

    void copy(ByteBuffer source, int start, int end) {
        boolean isOption = start < end && source.get(start) == '-';
        if (isNextSecret && start < end) {
            isNextSecret = isOption && isValueNext(source, start, end);
            Mask.write(out);
            return;
        }
        if (isOurs && end - start == 2 && isOption && source.get(start + 1) == '-') {
            isOurs = false;
        }
        isSpec = isOurs && find(source, '(', start, end) < end;
        int at = start;
        byte quote = 0;
        while (at < end) {
            byte b = source.get(at);
            if (isQuote(b)) {
                quote = quote == 0 ? b : quote == b ? 0 : quote;
                out.put(b);
                at++;
            } else if (isBetweenWords(b)) {
                out.put(b);
                at++;
            } else {
                at = copyWord(source, start, at, end, quote);
            }
        }
    }

    /** Copies the word at {@code at} and the value behind it, if that is secret; returns the index behind them. */
    private int copyWord(ByteBuffer source, int start, int at, int end, byte quote) {
        int wordEnd = wordEnd(source, at, end);
        if (isNextSecret) {
            isNextSecret = false;
            boolean isQuoted = quote != 0 && source.get(at - 1) == quote;
            return maskTo(isQuoted ? quotedEnd(source, at, end, quote) : valueEnd(source, at, end, quote));
        }
        int scheme = scheme(source, at, wordEnd);
        int separator = isSpec ? wordEnd : find(source, '=', at, wordEnd);
        boolean isUrl = scheme >= 0 && scheme <= separator;
        if (!isUrl && separator < wordEnd && SecretName.is(source, at, separator)) {
            copyPlain(source, at, separator + 1);
            return maskValue(separator + 1, end, at == start ? end : valueEnd(source, separator + 1, end, quote));
        }
        if (scheme >= 0) {
            return copyUrl(source, at, scheme, end);
        }
        if (TokenShape.is(source, behindSeparator(source, at, wordEnd), wordEnd)) {
            return maskTo(wordEnd);
        }
        if (isSpec) {
            copyPlain(source, at, wordEnd);
            return wordEnd;
        }
        int colon = find(source, ':', at, wordEnd);
        if (colon < wordEnd
                && SecretName.is(source, at, colon)
                && (colon + 1 == wordEnd || isPasswordWord(source, at, colon))) {
            copyPlain(source, at, colon + 1);
            return maskValue(colon + 1, end, colon + 1 == wordEnd ? quotedEnd(source, wordEnd, end, quote) : wordEnd);
        }
        if (quote != 0 && wordEnd < end && source.get(wordEnd) == quote && SecretName.is(source, at, wordEnd)) {
            int value = memberValue(source, wordEnd + 1, end);
            if (value >= 0) {
                copyPlain(source, at, value);
                return maskValue(value, end, memberEnd(source, value, end));
            }
        }
        return copyOption(source, start, at, wordEnd, end, quote);
    }

    /** Copies a word that has no secret in it but may announce one. */
    private int copyOption(ByteBuffer source, int start, int at, int wordEnd, int end, byte quote) {
        option = option.behind(source, at, wordEnd);
        int letters = option.lettersOf(source, at, wordEnd);
        boolean isAttached = letters > 0
                && (at + letters < wordEnd
                        || (option.isAttachedOnly() && wordEnd < end && isQuote(source.get(wordEnd))));
        if (isAttached) {
            copyPlain(source, at, at + letters);
            int value = at + letters;
            return maskValue(value, end, at == start ? end : valueEnd(source, value, end, quote));
        }
        if (!isOurs && find(source, '/', at, wordEnd) < wordEnd) {
            filePath.begin();
            filePath.copy(source, at, wordEnd, false);
        } else {
            copyPlain(source, at, wordEnd);
        }
        isNextSecret = (letters > 0 && !option.isAttachedOnly())
                || isValueNext(source, at, wordEnd)
                || isScheme(source, at, wordEnd);
        return wordEnd;
    }

    /** Whether the word is an option whose value is the next word: {@code --password}, {@code -token}. */
    private static boolean isValueNext(ByteBuffer source, int at, int wordEnd) {
        int name = at;
        while (name < wordEnd && source.get(name) == '-') {
            name++;
        }
        return name > at
                && wordEnd - name > 1
                && find(source, '=', at, wordEnd) == wordEnd
                && !SecretName.startsWith(source, name, wordEnd, NO)
                && !SecretName.startsWith(source, name, wordEnd, SKIP)
                && SecretName.is(source, name, wordEnd);
    }

    private static final byte[] NO = SecretName.bytes("no-")[0];
    private static final byte[] SKIP = SecretName.bytes("skip-")[0];
    private static final byte[] BEARER = SecretName.bytes("bearer")[0];
    private static final byte[] BASIC = SecretName.bytes("basic")[0];
    private static final byte[][] PASSWORD_WORDS =
            SecretName.bytes("pass", "password", "passwd", "secret", "token", "apikey");

    /** Whether the word is a scheme of HTTP authentication, which the credentials follow. */
    private static boolean isScheme(ByteBuffer source, int at, int wordEnd) {
        return (wordEnd - at == BEARER.length && SecretName.startsWith(source, at, wordEnd, BEARER))
                || (wordEnd - at == BASIC.length && SecretName.startsWith(source, at, wordEnd, BASIC));
    }

    /** {@code pass:x} of openssl. */
    private static boolean isPasswordWord(ByteBuffer source, int at, int end) {
        for (byte[] word : PASSWORD_WORDS) {
            if (word.length == end - at && SecretName.startsWith(source, at, end, word)) {
                return true;
            }
        }
        return false;
    }

    /** Masks what is between; returns {@code valueEnd}. An empty value stays empty. */
    private int maskValue(int value, int end, int valueEnd) {
        if (value < Math.min(valueEnd, end)) {
            Mask.write(out);
        }
        return Math.max(value, valueEnd);
    }

    private int maskTo(int end) {
        Mask.write(out);
        return end;
    }

    /** Copies {@code PREFIX://USER@HOST/PATH?NAME=VALUE#FRAGMENT}. */
    private int copyUrl(ByteBuffer source, int at, int authority, int end) {
        int urlEnd = urlEnd(source, authority, end);
        copyPlain(source, at, authority);
        int host = hostStart(source, authority, urlEnd);
        int i = authority;
        if (host > authority) {
            Mask.write(out);
            i = host - 1; // including the @
        }
        int query = Math.min(find(source, '?', i, urlEnd), find(source, '#', i, urlEnd));
        int path = find(source, '/', i, query);
        copyPlain(source, i, path);
        urlPath.begin();
        urlPath.copy(source, path, query, false);
        if (query < urlEnd) {
            copyQuery(source, query, urlEnd);
        }
        return urlEnd;
    }

    /** Names stay, values and parts without a name are masked. */
    private void copyQuery(ByteBuffer source, int at, int urlEnd) {
        int i = at;
        while (i < urlEnd) {
            out.put(source.get(i++)); // ? & or #
            int part = i;
            int equals = -1;
            while (i < urlEnd && source.get(i) != '&' && source.get(i) != '#') {
                equals = equals < 0 && source.get(i) == '=' ? i : equals;
                i++;
            }
            if (equals >= 0) {
                copyPlain(source, part, equals + 1);
            }
            if (i > (equals >= 0 ? equals + 1 : part)) {
                Mask.write(out);
            }
        }
    }

    /**
     * The index behind the {@code @} that ends user and password; {@code authority} if there are none. A password that
     * has a slash in it is followed to the last {@code @}, if what begins the authority cannot be host and port.
     */
    private static int hostStart(ByteBuffer source, int authority, int urlEnd) {
        int authorityEnd = authority;
        int colon = -1;
        boolean isPort = true;
        while (authorityEnd < urlEnd && "/?#".indexOf(source.get(authorityEnd)) < 0) {
            byte b = source.get(authorityEnd++);
            if (b == ':') {
                colon = authorityEnd;
                isPort = true;
            } else {
                isPort &= b >= '0' && b <= '9';
            }
        }
        int last = colon >= 0 && !isPort ? urlEnd : authorityEnd;
        while (last > authority && source.get(last - 1) != '@') {
            last--;
        }
        return last;
    }

    /** The index behind {@code ://}, or -1. */
    private static int scheme(ByteBuffer source, int at, int wordEnd) {
        for (int i = at + 1; i + 2 < wordEnd; i++) {
            if (source.get(i) == ':' && source.get(i + 1) == '/' && source.get(i + 2) == '/') {
                return i + 3;
            }
        }
        return -1;
    }

    /** A value may be attached to a name that does not indicate a secret: {@code X=eyJ...}. */
    private static int behindSeparator(ByteBuffer source, int at, int wordEnd) {
        int separator = find(source, '=', at, wordEnd);
        return separator + 1 < wordEnd ? separator + 1 : at;
    }

    /** Where the value of a member begins: behind blanks and a colon; -1 if there is no colon. */
    private static int memberValue(ByteBuffer source, int at, int end) {
        int i = at;
        while (i < end && isBlank(source.get(i))) {
            i++;
        }
        if (i == end || (source.get(i) != ':' && source.get(i) != '=')) {
            return -1;
        }
        i++;
        while (i < end && isBlank(source.get(i))) {
            i++;
        }
        return i;
    }

    private static int memberEnd(ByteBuffer source, int value, int end) {
        if (value < end && isQuote(source.get(value))) {
            return Math.min(end, quotedEnd(source, value + 1, end, source.get(value)) + 1);
        }
        int i = value;
        while (i < end && ",}]".indexOf(source.get(i)) < 0) {
            i++;
        }
        return i;
    }

    /** The first unescaped quote; the end if there is none or {@code quote} is 0. */
    private static int quotedEnd(ByteBuffer source, int at, int end, byte quote) {
        int i = at;
        while (i < end && (quote == 0 || source.get(i) != quote)) {
            i += source.get(i) == '\\' ? 2 : 1;
        }
        return Math.min(i, end);
    }

    /** Where a shell ends the value: a blank or the enclosing quote, but nothing that is quoted or escaped in it. */
    private static int valueEnd(ByteBuffer source, int at, int end, byte enclosing) {
        int i = at;
        while (i < end) {
            byte b = source.get(i);
            if (b == enclosing && enclosing != 0) {
                return i;
            }
            if (isQuote(b)) {
                i = quotedEnd(source, i + 1, end, b) + 1;
            } else if (isBlank(b)) {
                return i;
            } else {
                i += b == '\\' ? 2 : 1;
            }
        }
        return end;
    }

    private static int urlEnd(ByteBuffer source, int at, int end) {
        int i = at;
        while (i < end && !isBlank(source.get(i)) && !isQuote(source.get(i))) {
            i++;
        }
        return i;
    }

    private static int wordEnd(ByteBuffer source, int at, int end) {
        int i = at;
        while (i < end && !isQuote(source.get(i)) && !isBetweenWords(source.get(i))) {
            i++;
        }
        return i;
    }

    private static int find(ByteBuffer source, char wanted, int start, int end) {
        int at = start;
        while (at < end && source.get(at) != wanted) {
            at++;
        }
        return at;
    }

    private static boolean isQuote(byte b) {
        return b == '\'' || b == '"' || b == '`';
    }

    private static boolean isBlank(byte b) {
        return b >= 0 && b <= ' ';
    }

    private static boolean isBetweenWords(byte b) {
        return isBlank(b) || "(){}[]<>;|&,".indexOf(b) >= 0;
    }

    private void copyPlain(ByteBuffer source, int start, int end) {
        for (int i = start; i < end; i++) {
            out.put(source.get(i));
        }
    }
}
