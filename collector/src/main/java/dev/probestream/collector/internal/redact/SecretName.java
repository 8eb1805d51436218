package dev.probestream.collector.internal.redact;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.ByteBuffer;

/**
 * Determines by its name whether an option, a variable or a header holds a secret: {@code --db-password}, {@code
 * AWS_SECRET_ACCESS_KEY}, {@code accessToken}, {@code X-Api-Key}, {@code KEY}. Case is ignored.
 */
final class SecretName {
    private static final byte[][] ANYWHERE = bytes(
            "password",
            "passwd",
            "passphrase",
            "secret",
            "credential",
            "apikey",
            "accesskey",
            "privatekey",
            "authorization");

    /** Parts between separators, or between a small and a capital letter. */
    private static final byte[][] PARTS = bytes(
            "pass", "pwd", "pw", "psw", "key", "token", "tokens", "auth", "cookie", "jwt", "pat", "sas", "pin",
            "bearer");

    /** The last letters of a part. */
    private static final byte[][] ENDS = bytes("token", "pwd");

    private static final int MAX_BYTES = 256;

    private SecretName() {}

    /** Whether the bytes are such a name; of a long one the last 256 bytes count. */
    static boolean is(ByteBuffer source, int start, int end) {
        int from = Math.max(start, end - MAX_BYTES);
        int part = from;
        for (int at = from; at < end; at++) {
            if (startsWithAny(source, at, end, ANYWHERE)) {
                return true;
            }
            if (!isLetter(source.get(at))) {
                part = at + 1;
            } else if (at + 1 == end || !isLetter(source.get(at + 1)) || isBump(source, at)) {
                if (isSecretPart(source, part, at + 1)) {
                    return true;
                }
                part = at + 1;
            }
        }
        return false;
    }

    /** Whether a part ends here because the next letter is a capital and this one is not. */
    private static boolean isBump(ByteBuffer source, int at) {
        byte next = source.get(at + 1);
        byte b = source.get(at);
        return b >= 'a' && b <= 'z' && next >= 'A' && next <= 'Z';
    }

    private static boolean isSecretPart(ByteBuffer source, int start, int end) {
        for (byte[] part : PARTS) {
            if (part.length == end - start && startsWith(source, start, end, part)) {
                return true;
            }
        }
        for (byte[] last : ENDS) {
            if (end - start > last.length && startsWith(source, end - last.length, end, last)) {
                return true;
            }
        }
        return false;
    }

    private static boolean startsWithAny(ByteBuffer source, int at, int end, byte[][] words) {
        for (byte[] word : words) {
            if (startsWith(source, at, end, word)) {
                return true;
            }
        }
        return false;
    }

    static boolean startsWith(ByteBuffer source, int at, int end, byte[] lowerCase) {
        if (end - at < lowerCase.length) {
            return false;
        }
        for (int i = 0; i < lowerCase.length; i++) {
            byte b = source.get(at + i);
            if ((b >= 'A' && b <= 'Z' ? b | 0x20 : b) != lowerCase[i]) {
                return false;
            }
        }
        return true;
    }

    private static boolean isLetter(byte b) {
        int lower = b | 0x20;
        return b > 0 && lower >= 'a' && lower <= 'z';
    }

    static byte[][] bytes(String... words) {
        byte[][] bytes = new byte[words.length][];
        for (int i = 0; i < words.length; i++) {
            bytes[i] = words[i].getBytes(US_ASCII);
        }
        return bytes;
    }
}
