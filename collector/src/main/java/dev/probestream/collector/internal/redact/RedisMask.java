package dev.probestream.collector.internal.redact;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.ByteBuffer;

/**
 * Copies a Redis command, its name first and then its arguments, without passwords: all arguments of AUTH, what follows
 * AUTH and AUTH2 in HELLO and MIGRATE, values that CONFIG SET and SENTINEL SET give to passwords, passwords and their
 * hashes in ACL SETUSER, and scripts that may contain such a command.
 */
public final class RedisMask {
    private static final byte[][] SECRET_PARTS = parts("AUTH", "PASS");
    private static final byte[][] SCRIPTED_PARTS = parts("AUTH", "PASS", "SETUSER");
    private static final byte[] ECHOED = "with args beginning with:".getBytes(US_ASCII);

    /** How the arguments of the current command are masked. */
    private enum Arguments {
        PLAIN,
        /** AUTH. */
        ALL,
        /** HELLO, MIGRATE: behind the word AUTH or AUTH2. */
        BEHIND_AUTH,
        /** CONFIG, SENTINEL: the argument behind the name of a password. */
        SETTINGS,
        /** ACL: {@code >password <password #hash !hash}. */
        RULES,
        /** EVAL, SCRIPT, FUNCTION. */
        SCRIPT
    }

    private final ByteBuffer out;
    private Arguments arguments = Arguments.PLAIN;
    private boolean isNextSecret;

    /** @param out receives the copy; its capacity must be {@link TextRules#capacityFor} the longest word */
    public RedisMask(ByteBuffer out) {
        this.out = out;
    }

    /** Copies the name of a command, whose arguments follow. */
    public void copyCommand(ByteBuffer source, int start, int end) {
        isNextSecret = false;
        arguments = argumentsOf(source, start, end);
        copyPlain(source, start, end);
    }

    /** Copies the next argument, or the mask for it. */
    public void copyArgument(ByteBuffer source, int start, int end) {
        boolean isSecret = isNextSecret
                || switch (arguments) {
                    case PLAIN -> false;
                    case ALL -> true;
                    case BEHIND_AUTH, SETTINGS -> false;
                    case RULES -> start < end && ">#<!".indexOf(source.get(start)) >= 0;
                    case SCRIPT -> contains(source, start, end, SCRIPTED_PARTS);
                };
        if (arguments == Arguments.BEHIND_AUTH) {
            isNextSecret |= contains(source, start, end, SECRET_PARTS);
        } else if (arguments == Arguments.SETTINGS) {
            isNextSecret = !isNextSecret && contains(source, start, end, SECRET_PARTS);
        }
        if (isSecret) {
            Mask.write(out);
        } else {
            copyPlain(source, start, end);
        }
    }

    /** Copies an error reply, which for an unknown command repeats its arguments. */
    void copyReply(ByteBuffer source, int start, int end) {
        for (int at = start; at + ECHOED.length <= end; at++) {
            if (startsWith(source, at, end, ECHOED)) {
                copyPlain(source, start, at + ECHOED.length);
                out.put((byte) ' ');
                Mask.write(out);
                return;
            }
        }
        copyPlain(source, start, end);
    }

    private static Arguments argumentsOf(ByteBuffer source, int start, int end) {
        if (is(source, start, end, "AUTH")) {
            return Arguments.ALL;
        }
        if (is(source, start, end, "HELLO") || is(source, start, end, "MIGRATE")) {
            return Arguments.BEHIND_AUTH;
        }
        if (is(source, start, end, "CONFIG") || is(source, start, end, "SENTINEL")) {
            return Arguments.SETTINGS;
        }
        if (is(source, start, end, "ACL")) {
            return Arguments.RULES;
        }
        boolean isScript = is(source, start, end, "EVAL")
                || is(source, start, end, "EVAL_RO")
                || is(source, start, end, "SCRIPT")
                || is(source, start, end, "FUNCTION");
        return isScript ? Arguments.SCRIPT : Arguments.PLAIN;
    }

    private static boolean is(ByteBuffer source, int start, int end, String upperCase) {
        if (end - start != upperCase.length()) {
            return false;
        }
        for (int i = 0; i < upperCase.length(); i++) {
            if (upper(source.get(start + i)) != upperCase.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    private static boolean contains(ByteBuffer source, int start, int end, byte[][] parts) {
        for (int at = start; at < end; at++) {
            for (byte[] part : parts) {
                if (startsWith(source, at, end, part)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Ignores the case of letters in the source if the part is in upper case. */
    private static boolean startsWith(ByteBuffer source, int at, int end, byte[] part) {
        if (end - at < part.length) {
            return false;
        }
        for (int i = 0; i < part.length; i++) {
            byte b = source.get(at + i);
            if (b != part[i] && upper(b) != part[i]) {
                return false;
            }
        }
        return true;
    }

    private static int upper(byte b) {
        return b >= 'a' && b <= 'z' ? b - 0x20 : b;
    }

    private static byte[][] parts(String... parts) {
        byte[][] bytes = new byte[parts.length][];
        for (int i = 0; i < parts.length; i++) {
            bytes[i] = parts[i].getBytes(US_ASCII);
        }
        return bytes;
    }

    private void copyPlain(ByteBuffer source, int start, int end) {
        for (int i = start; i < end; i++) {
            out.put(source.get(i));
        }
    }
}
