package dev.probestream.collector.internal.event;

import dev.probestream.collector.internal.program.layout.AddressSlot;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Writes socket addresses as text: {@code 127.0.0.1:80}, {@code [::1]:80} (RFC 5952; an IPv4-mapped address is written
 * as IPv4), the path of a UNIX socket, {@code @name} in the abstract namespace, {@code unix} without a name.
 */
public final class AddressText {
    /** A UNIX socket without a name. */
    public static final String UNNAMED = "unix";

    private static final int GROUPS = AddressSlot.IPV6_BYTES / Short.BYTES;
    private static final int MAPPED_GROUP = 5;
    private static final byte[] UNIX = UNNAMED.getBytes(StandardCharsets.US_ASCII);

    private final ByteBuffer out;

    AddressText(ByteBuffer out) {
        this.out = out;
    }

    /**
     * The text of an internet address.
     *
     * @param address 4 or 16 bytes, in the order of the network
     */
    public static String of(byte[] address, int port) {
        boolean isIpv4 = address.length == AddressSlot.IPV4_BYTES;
        ByteBuffer slot = ByteBuffer.allocate(AddressSlot.SIZE_BYTES)
                .order(ByteOrder.nativeOrder())
                .putShort(AddressSlot.FAMILY_OFFSET, (short) (isIpv4 ? AddressSlot.AF_INET : AddressSlot.AF_INET6))
                .put(AddressSlot.PORT_OFFSET, (byte) (port >> Byte.SIZE))
                .put(AddressSlot.PORT_OFFSET + 1, (byte) port)
                .put(AddressSlot.ADDRESS_OFFSET, address);
        ByteBuffer text = ByteBuffer.allocate(AddressSlot.SIZE_BYTES);
        new AddressText(text).write(slot, 0);
        return new String(text.array(), 0, text.position(), StandardCharsets.US_ASCII);
    }

    /**
     * Writes the address in an {@link AddressSlot}. Returns false, and writes nothing, if the address could not be
     * read.
     */
    boolean write(ByteBuffer sample, int start) {
        int port = bigEndian(sample, start + AddressSlot.PORT_OFFSET);
        switch (sample.getShort(start + AddressSlot.FAMILY_OFFSET)) {
            case AddressSlot.AF_INET -> internet(sample, start + AddressSlot.ADDRESS_OFFSET, port);
            case AddressSlot.AF_INET6 -> internet6(sample, start + AddressSlot.ADDRESS_OFFSET, port);
            case AddressSlot.AF_UNIX -> unix(sample, start);
            default -> {
                return false;
            }
        }
        return true;
    }

    private void internet(ByteBuffer sample, int address, int port) {
        for (int i = 0; i < AddressSlot.IPV4_BYTES; i++) {
            if (i > 0) {
                put('.');
            }
            number(Byte.toUnsignedInt(sample.get(address + i)), 10);
        }
        put(':');
        number(port, 10);
    }

    private void internet6(ByteBuffer sample, int address, int port) {
        if (isMapped(sample, address)) {
            internet(sample, address + AddressSlot.IPV6_BYTES - AddressSlot.IPV4_BYTES, port);
            return;
        }
        int zeros = longestZeros(sample, address);
        int zerosEnd = zeros + zeroCount(sample, address, zeros);
        put('[');
        for (int i = 0; i < GROUPS; i++) {
            if (i == zeros) {
                put(':');
                put(':');
                i = zerosEnd - 1;
            } else {
                if (i > 0 && i != zerosEnd) {
                    put(':');
                }
                number(group(sample, address, i), 16);
            }
        }
        put(']');
        put(':');
        number(port, 10);
    }

    /** ::ffff:a.b.c.d */
    private static boolean isMapped(ByteBuffer sample, int address) {
        return zeroCount(sample, address, 0) == MAPPED_GROUP && group(sample, address, MAPPED_GROUP) == 0xffff;
    }

    /** The start of the first longest run of at least two zero groups; {@link #GROUPS} if there is none. */
    private static int longestZeros(ByteBuffer sample, int address) {
        int longest = GROUPS;
        int longestCount = 1;
        for (int i = 0; i < GROUPS; i++) {
            int count = zeroCount(sample, address, i);
            if (count > longestCount) {
                longest = i;
                longestCount = count;
            }
        }
        return longest;
    }

    private static int zeroCount(ByteBuffer sample, int address, int from) {
        int group = from;
        while (group < GROUPS && group(sample, address, group) == 0) {
            group++;
        }
        return group - from;
    }

    private static int group(ByteBuffer sample, int address, int index) {
        return bigEndian(sample, address + index * Short.BYTES);
    }

    private static int bigEndian(ByteBuffer sample, int at) {
        return (Byte.toUnsignedInt(sample.get(at)) << Byte.SIZE) | Byte.toUnsignedInt(sample.get(at + 1));
    }

    /** A path ends at its first NUL. An abstract name may contain NULs; each is written as @, as in ss(8). */
    private void unix(ByteBuffer sample, int start) {
        int path = start + AddressSlot.PATH_OFFSET;
        int room = AddressSlot.SIZE_BYTES - AddressSlot.PATH_OFFSET;
        int count = Math.min(room, Short.toUnsignedInt(sample.getShort(start + AddressSlot.PATH_BYTES_OFFSET)));
        boolean isAbstract = count > 1 && sample.get(path) == 0;
        int length = isAbstract ? count : TextReader.lengthBytes(sample, path, count);
        if (length == 0) {
            out.put(UNIX);
        }
        for (int i = 0; i < length; i++) {
            byte b = sample.get(path + i);
            out.put(b == 0 ? (byte) '@' : b);
        }
    }

    private void number(int value, int radix) {
        if (value >= radix) {
            number(value / radix, radix);
        }
        put(Character.forDigit(value % radix, radix));
    }

    private void put(char c) {
        out.put((byte) c);
    }
}
