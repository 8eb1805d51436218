package dev.probestream.collector.internal.event;

import dev.probestream.collector.internal.program.layout.AddressSlot;
import dev.probestream.collector.internal.redact.InternetAddress;
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
        InternetAddress.writeIpv4(sample, address, out);
        port(port);
    }

    private void internet6(ByteBuffer sample, int address, int port) {
        if (InternetAddress.isMapped(sample, address)) {
            internet(sample, address + AddressSlot.IPV6_BYTES - AddressSlot.IPV4_BYTES, port);
            return;
        }
        put('[');
        InternetAddress.writeIpv6(sample, address, out);
        put(']');
        port(port);
    }

    private void port(int port) {
        put(':');
        InternetAddress.writeNumber(port, 10, out);
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

    private void put(char c) {
        out.put((byte) c);
    }
}
