package dev.probestream.collector.internal.redact;

import java.nio.ByteBuffer;

/** Writes internet addresses as text, without brackets and port: {@code 127.0.0.1}, {@code fd00::1} (RFC 5952). */
public final class InternetAddress {
    /** The bytes of an IPv4 address. */
    public static final int IPV4_BYTES = 4;

    /** The bytes of an IPv6 address. */
    public static final int IPV6_BYTES = 16;

    private static final int GROUPS = IPV6_BYTES / Short.BYTES;
    private static final int MAPPED_GROUP = 5;

    private InternetAddress() {}

    /** Writes the IPv4 address at {@code at} (absolute), in the order of the network. */
    public static void writeIpv4(ByteBuffer source, int at, ByteBuffer out) {
        for (int i = 0; i < IPV4_BYTES; i++) {
            if (i > 0) {
                put(out, '.');
            }
            writeNumber(Byte.toUnsignedInt(source.get(at + i)), 10, out);
        }
    }

    /** Writes the IPv6 address at {@code at} (absolute); one that is {@linkplain #isMapped mapped} as IPv4. */
    public static void writeIpv6(ByteBuffer source, int at, ByteBuffer out) {
        if (isMapped(source, at)) {
            writeIpv4(source, at + IPV6_BYTES - IPV4_BYTES, out);
            return;
        }
        int zeros = longestZeros(source, at);
        int zerosEnd = zeros + zeroCount(source, at, zeros);
        for (int i = 0; i < GROUPS; i++) {
            if (i == zeros) {
                put(out, ':');
                put(out, ':');
                i = zerosEnd - 1;
            } else {
                if (i > 0 && i != zerosEnd) {
                    put(out, ':');
                }
                writeNumber(group(source, at, i), 16, out);
            }
        }
    }

    /** Whether the IPv6 address is ::ffff:a.b.c.d. */
    public static boolean isMapped(ByteBuffer source, int at) {
        return zeroCount(source, at, 0) == MAPPED_GROUP && group(source, at, MAPPED_GROUP) == 0xffff;
    }

    /** Writes digits, in lower case. */
    public static void writeNumber(int value, int radix, ByteBuffer out) {
        if (value >= radix) {
            writeNumber(value / radix, radix, out);
        }
        put(out, Character.forDigit(value % radix, radix));
    }

    /** The start of the first longest run of at least two zero groups; {@link #GROUPS} if there is none. */
    private static int longestZeros(ByteBuffer source, int at) {
        int longest = GROUPS;
        int longestCount = 1;
        for (int i = 0; i < GROUPS; i++) {
            int count = zeroCount(source, at, i);
            if (count > longestCount) {
                longest = i;
                longestCount = count;
            }
        }
        return longest;
    }

    private static int zeroCount(ByteBuffer source, int at, int from) {
        int group = from;
        while (group < GROUPS && group(source, at, group) == 0) {
            group++;
        }
        return group - from;
    }

    private static int group(ByteBuffer source, int at, int index) {
        int high = at + index * Short.BYTES;
        return (Byte.toUnsignedInt(source.get(high)) << Byte.SIZE) | Byte.toUnsignedInt(source.get(high + 1));
    }

    private static void put(ByteBuffer out, char c) {
        out.put((byte) c);
    }
}
