package dev.probestream.collector.internal.redact;

import java.nio.ByteBuffer;

/**
 * Whether a segment of a path may be a token. A segment is a sequence of pieces, runs of letters and digits. In a piece of random
 * letters and digits about every second byte switches between digits and letters, or from small to capital letters; in words, names
 * and versions few do.
 *
 * <p>A segment is a token if its pieces that switch at least once in {@value #BYTES_PER_SWITCH} bytes have {@value
 * #MIN_RANDOM_BYTES} bytes together, and behind a word that announces a token (strictly) if one piece is neither word nor number.
 * Not counted, unless strictly: UUIDs, ULIDs and up to {@value #MAX_ID_HEX_DIGITS} hexadecimal digits, as identifiers of
 * databases have them.
 */
final class PathToken {
    private static final int MIN_RANDOM_BYTES = 20;
    private static final int BYTES_PER_SWITCH = 6;
    /** In pieces of letters only; names of classes have about one in eight. */
    private static final int BYTES_PER_CAPITAL = 5;
    /** In random base64url one in 32 is expected; in titles every fifth is one. */
    private static final int BASE64_BYTES_PER_SEPARATOR = 7;

    /** An ObjectId of MongoDB has 24. */
    private static final int MAX_ID_HEX_DIGITS = 24;

    private static final int UUID_BYTES = 36;
    private static final int ULID_BYTES = 26;

    /** In URLs codes are written in capitals, words are not. */
    private static final int MIN_CODE_BYTES = 5;

    private static final int MAX_SHORT_BYTES = 3;
    private static final int MAX_VERSION_BYTES = 9;
    private static final int MAX_WORD_BYTES = 32;
    /** A piece as long as this, behind a published prefix ({@link TokenShape}). */
    private static final int MIN_PREFIXED_BYTES = 12;

    /** Files whose names have a hash of their content, so that browsers may keep them. */
    private static final byte[][] ASSETS = SecretName.bytes(
            "js", "mjs", "cjs", "css", "map", "png", "jpg", "jpeg", "gif", "svg", "webp", "avif", "ico", "woff",
            "woff2", "ttf", "otf", "wasm", "html", "htm");

    private PathToken() {}

    /**
     * @param isStrict whether a word before announces a token
     * @param mayBeHash whether a word before announces the hash of a content
     */
    static boolean is(ByteBuffer source, int start, int end, boolean isFile, boolean isStrict, boolean mayBeHash) {
        if (end - start <= MAX_SHORT_BYTES) {
            return false;
        }
        boolean isAsset = isAsset(source, start, end);
        boolean strict = isStrict && !isAsset;
        boolean isHashAllowed = mayBeHash || isAsset;
        int random = 0;
        int longest = 0;
        boolean hasUuid = false;
        int at = start;
        while (at < end) {
            int piece = pieceStart(source, at, end);
            if (isUuid(source, piece, end)) {
                if (strict) {
                    return true;
                }
                hasUuid = true;
                at = piece + UUID_BYTES;
                continue;
            }
            int pieceEnd = pieceEnd(source, piece, end);
            if (strict && isNeitherWordNorNumber(source, piece, pieceEnd, isFile)) {
                return true;
            }
            if (isRandom(source, piece, pieceEnd, isHashAllowed)) {
                random += pieceEnd - piece;
            }
            longest = Math.max(longest, pieceEnd - piece);
            boolean isAnnounced =
                    !isAsset && pieceEnd < end && PathWords.announcesToken(source, piece, pieceEnd, isFile);
            strict |= isAnnounced;
            isHashAllowed |= PathWords.announcesHash(source, piece, pieceEnd, isFile);
            at = pieceEnd;
        }
        return random >= MIN_RANDOM_BYTES
                || (!hasUuid && hasBase64(source, start, end))
                || (longest >= MIN_PREFIXED_BYTES && TokenShape.is(source, start, end));
    }

    private static boolean isRandom(ByteBuffer source, int start, int end, boolean isHashAllowed) {
        int length = end - start;
        boolean isId =
                isHex(source, start, end) ? isHashAllowed || length <= MAX_ID_HEX_DIGITS : isUlid(source, start, end);
        int switches = switches(source, start, end);
        boolean isMixed = hasDigit(source, start, end)
                ? switches * BYTES_PER_SWITCH >= length
                : switches * BYTES_PER_CAPITAL > length;
        return length > MAX_SHORT_BYTES && !isId && isMixed;
    }

    /** Whether there is a token in base64url, in which {@code -} and {@code _} stand for digits. */
    private static boolean hasBase64(ByteBuffer source, int start, int end) {
        int at = start;
        while (at < end) {
            int digits = 0;
            int capitals = 0;
            int separators = 0;
            int from = at;
            for (; at < end && (isLetterOrDigit(source.get(at)) || isBase64Separator(source.get(at))); at++) {
                byte b = source.get(at);
                digits += isDigit(b) ? 1 : 0;
                capitals += isCapital(b) ? 1 : 0;
                separators += isBase64Separator(b) ? 1 : 0;
            }
            int length = at - from;
            if (length >= MIN_RANDOM_BYTES
                    && digits > 0
                    && capitals > 0
                    && digits + capitals + separators < length
                    && separators * BASE64_BYTES_PER_SEPARATOR <= length
                    && switches(source, from, at) * BYTES_PER_CAPITAL >= length) {
                return true;
            }
            at++;
        }
        return false;
    }

    private static boolean isNeitherWordNorNumber(ByteBuffer source, int start, int end, boolean isFile) {
        int length = end - start;
        if (length <= MAX_SHORT_BYTES || isVersion(source, start, end)) {
            return false;
        }
        int digits = 0;
        int capitals = 0;
        for (int i = start; i < end; i++) {
            byte b = source.get(i);
            digits += isDigit(b) ? 1 : 0;
            capitals += isCapital(b) ? 1 : 0;
        }
        if (digits == length) {
            return false;
        }
        int switches = switches(source, start, end);
        return length > MAX_WORD_BYTES
                || (!isFile && capitals + digits == length && length >= MIN_CODE_BYTES)
                || (digits > 0 ? switches > 1 : switches * BYTES_PER_CAPITAL > length);
    }

    /** {@code v1beta2}. */
    private static boolean isVersion(ByteBuffer source, int start, int end) {
        return end - start <= MAX_VERSION_BYTES && source.get(start) == 'v' && isDigit(source.get(start + 1));
    }

    /** How often a digit and a letter, or a small and a capital letter follow each other. */
    private static int switches(ByteBuffer source, int start, int end) {
        int switches = 0;
        for (int i = start + 1; i < end; i++) {
            byte before = source.get(i - 1);
            byte b = source.get(i);
            boolean isPair = isLetterOrDigit(before) && isLetterOrDigit(b);
            boolean isBump = before >= 'a' && isCapital(b);
            switches += isPair && (isDigit(before) != isDigit(b) || isBump) ? 1 : 0;
        }
        return switches;
    }

    /** Behind what is neither letter nor digit, and behind percent-encoded bytes. */
    private static int pieceStart(ByteBuffer source, int start, int end) {
        int at = start;
        while (at < end && !isLetterOrDigit(source.get(at))) {
            boolean isEncoded = source.get(at) == '%' && isHex(source, at + 1, Math.min(at + 3, end));
            at += isEncoded ? 3 : 1;
        }
        return Math.min(at, end);
    }

    private static int pieceEnd(ByteBuffer source, int start, int end) {
        int at = start;
        while (at < end && isLetterOrDigit(source.get(at))) {
            at++;
        }
        return at;
    }

    /** {@code 8-4-4-4-12} hexadecimal digits, and no more behind them. */
    private static boolean isUuid(ByteBuffer source, int start, int end) {
        if (end - start < UUID_BYTES || (end - start > UUID_BYTES && isLetterOrDigit(source.get(start + UUID_BYTES)))) {
            return false;
        }
        for (int i = 0; i < UUID_BYTES; i++) {
            byte b = source.get(start + i);
            boolean isDash = i == 8 || i == 13 || i == 18 || i == 23;
            if (isDash ? b != '-' : !isHexDigit(b)) {
                return false;
            }
        }
        return true;
    }

    /** 26 digits of Crockford's base 32, of which the first ones are a time of this century. */
    private static boolean isUlid(ByteBuffer source, int start, int end) {
        if (end - start != ULID_BYTES || source.get(start) != '0' || source.get(start + 1) != '1') {
            return false;
        }
        for (int i = start; i < end; i++) {
            byte b = source.get(i);
            boolean isOfAlphabet = isDigit(b) || (b >= 'A' && b <= 'Z' && b != 'I' && b != 'L' && b != 'O' && b != 'U');
            if (!isOfAlphabet) {
                return false;
            }
        }
        return true;
    }

    private static boolean isAsset(ByteBuffer source, int start, int end) {
        int dot = end;
        while (dot > start && source.get(dot - 1) != '.') {
            dot--;
        }
        for (byte[] ending : ASSETS) {
            if (dot > start && ending.length == end - dot && SecretName.startsWith(source, dot, end, ending)) {
                return true;
            }
        }
        return false;
    }

    static boolean isHex(ByteBuffer source, int start, int end) {
        for (int i = start; i < end; i++) {
            if (!isHexDigit(source.get(i))) {
                return false;
            }
        }
        return end > start;
    }

    private static boolean isHexDigit(byte b) {
        int lower = b | 0x20;
        return isDigit(b) || (b > 0 && lower >= 'a' && lower <= 'f');
    }

    private static boolean isLetterOrDigit(byte b) {
        int lower = b | 0x20;
        return isDigit(b) || (b > 0 && lower >= 'a' && lower <= 'z');
    }

    private static boolean hasDigit(ByteBuffer source, int start, int end) {
        int at = start;
        while (at < end && !isDigit(source.get(at))) {
            at++;
        }
        return at < end;
    }

    private static boolean isBase64Separator(byte b) {
        return b == '-' || b == '_';
    }

    private static boolean isCapital(byte b) {
        return b >= 'A' && b <= 'Z';
    }

    private static boolean isDigit(byte b) {
        return b >= '0' && b <= '9';
    }
}
