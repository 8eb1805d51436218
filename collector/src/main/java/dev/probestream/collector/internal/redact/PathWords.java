package dev.probestream.collector.internal.redact;

import java.nio.ByteBuffer;

/**
 * Words of paths and what they mean for the segments behind them. Chosen from the routes of frameworks' own login, invitation
 * and password reset pages, and of package registries and hosts of repositories; parts between separators and capital
 * letters are compared ({@code password-reset}, {@code verifyEmail}), case is ignored.
 */
final class PathWords {
    /** A token follows, in URLs; besides the names of secrets ({@link SecretName}). */
    private static final byte[][] TOKEN_FOLLOWS = SecretName.bytes(
            "reset",
            "verify",
            "verification",
            "confirm",
            "confirmation",
            "activate",
            "activation",
            "invite",
            "invites",
            "invitation",
            "invitations",
            "magic",
            "unsubscribe",
            "otp",
            "login",
            "signin",
            "sso",
            "oauth",
            "session",
            "sessions",
            "jsessionid",
            "phpsessid",
            "sid",
            "share",
            "shares",
            "shared",
            "unlock",
            "recover",
            "recovery",
            "keys",
            "webhook",
            "webhooks");

    /** Likewise in paths of files, where {@code share} and others are folders of programs. */
    private static final byte[][] TOKEN_FOLLOWS_IN_FILES =
            SecretName.bytes("session", "sessions", "sess", "otp", "reset");

    /** The hash of a content follows, which is no secret: revisions, objects of repositories, layers and ids of containers. */
    private static final byte[][] HASH_FOLLOWS = SecretName.bytes(
            "commit",
            "commits",
            "tree",
            "blob",
            "blobs",
            "raw",
            "compare",
            "archive",
            "objects",
            "sha",
            "digests",
            "layers",
            "overlay",
            "docker",
            "containers",
            "containerd",
            "containerid");

    private static final byte[] NODE_MODULES = SecretName.bytes("node_modules")[0];

    private PathWords() {}

    static boolean announcesToken(ByteBuffer source, int start, int end, boolean isFile) {
        return SecretName.is(source, start, end)
                || hasPart(source, start, end, isFile ? TOKEN_FOLLOWS_IN_FILES : TOKEN_FOLLOWS);
    }

    /** Such a word, or in a path of a file two hexadecimal digits, as stores of objects distribute their files on folders. */
    static boolean announcesHash(ByteBuffer source, int start, int end, boolean isFile) {
        return hasPart(source, start, end, HASH_FOLLOWS) || (isFile && isHexFolder(source, start, end));
    }

    static boolean isHexFolder(ByteBuffer source, int start, int end) {
        return end - start == 2 && PathToken.isHex(source, start, end);
    }

    static boolean isCodeFolder(ByteBuffer source, int start, int end) {
        return end - start == NODE_MODULES.length && SecretName.startsWith(source, start, end, NODE_MODULES);
    }

    private static boolean hasPart(ByteBuffer source, int start, int end, byte[][] words) {
        int part = start;
        for (int at = start; at < end; at++) {
            if (!isLetter(source.get(at))) {
                part = at + 1;
            } else if (at + 1 == end || !isLetter(source.get(at + 1)) || isBump(source, at)) {
                if (isOneOf(source, part, at + 1, words)) {
                    return true;
                }
                part = at + 1;
            }
        }
        return false;
    }

    private static boolean isOneOf(ByteBuffer source, int start, int end, byte[][] words) {
        for (byte[] word : words) {
            if (word.length == end - start && SecretName.startsWith(source, start, end, word)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isBump(ByteBuffer source, int at) {
        return source.get(at) >= 'a' && source.get(at + 1) <= 'Z';
    }

    private static boolean isLetter(byte b) {
        int lower = b | 0x20;
        return b > 0 && lower >= 'a' && lower <= 'z';
    }
}
