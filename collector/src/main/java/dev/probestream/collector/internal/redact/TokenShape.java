package dev.probestream.collector.internal.redact;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.ByteBuffer;

/** Recognises access tokens by their published prefixes: JSON Web Tokens and those of AWS, GitHub, Slack and others. */
final class TokenShape {
    private static final int MIN_BYTES = 16;
    /** Case counts. */
    private static final byte[][] PREFIXES = prefixes(
            "eyJ",
            "AKIA",
            "ASIA",
            "ghp_",
            "gho_",
            "ghu_",
            "ghs_",
            "ghr_",
            "github_pat_",
            "glpat-",
            "xoxb-",
            "xoxp-",
            "xoxa-",
            "xoxr-",
            "xoxs-",
            "xapp-",
            "AIza",
            "sk-",
            "sk_live_",
            "sk_test_",
            "rk_live_",
            "rk_test_",
            "npm_",
            "dckr_pat_",
            "hvs.",
            "SG.",
            "-----BEGIN");

    private TokenShape() {}

    /** Whether the word is of 16 bytes or more and begins as a token does. */
    static boolean is(ByteBuffer source, int start, int end) {
        return end - start >= MIN_BYTES && begins(source, start, end);
    }

    /** Whether the word begins as a token does. */
    static boolean begins(ByteBuffer source, int start, int end) {
        for (byte[] prefix : PREFIXES) {
            int same = 0;
            while (same < prefix.length && start + same < end && source.get(start + same) == prefix[same]) {
                same++;
            }
            if (same == prefix.length) {
                return true;
            }
        }
        return false;
    }

    private static byte[][] prefixes(String... words) {
        byte[][] bytes = new byte[words.length][];
        for (int i = 0; i < words.length; i++) {
            bytes[i] = words[i].getBytes(US_ASCII);
        }
        return bytes;
    }
}
