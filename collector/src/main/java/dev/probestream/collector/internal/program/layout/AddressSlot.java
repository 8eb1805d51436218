package dev.probestream.collector.internal.program.layout;

import dev.probestream.collector.probe.ArgumentType;

/**
 * How a sample holds the address of a socket, whatever its {@link ArgumentType} found it by:
 *
 * <pre>
 * offset  size  field
 *      0     2  family   AF_INET, AF_INET6 or AF_UNIX; 0 = could not be read
 *      2     2  port     big-endian; of AF_UNIX pathBytes, in the machine's order: how long the path is
 *      4     4  address  of AF_INET
 *      4    16  address  of AF_INET6
 *      4   108  path     of AF_UNIX: pathBytes of it count; a NUL first = a name in the abstract namespace
 * </pre>
 *
 * Sources: linux/socket.h (families), linux/un.h (sun_path).
 */
public final class AddressSlot {
    public static final int FAMILY_OFFSET = 0;
    public static final int PORT_OFFSET = 2;
    public static final int PATH_BYTES_OFFSET = PORT_OFFSET;
    public static final int ADDRESS_OFFSET = 4;
    public static final int PATH_OFFSET = ADDRESS_OFFSET;
    public static final int SIZE_BYTES = 112;

    public static final int AF_UNIX = 1;
    public static final int AF_INET = 2;
    public static final int AF_INET6 = 10;

    public static final int IPV4_BYTES = 4;
    public static final int IPV6_BYTES = 16;

    private AddressSlot() {}
}
