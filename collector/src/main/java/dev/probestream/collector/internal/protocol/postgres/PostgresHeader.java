package dev.probestream.collector.internal.protocol.postgres;

import dev.probestream.collector.internal.protocol.MessageFramer;
import dev.probestream.collector.internal.protocol.ProtocolException;

/**
 * The headers of PostgreSQL's messages (protocol 3, "Message Formats" of its documentation). The length counts itself; numbers are
 * big-endian.
 *
 * <pre>
 * offset  size  field
 *      0     1  type      not in the first message of a client
 *      1     4  length
 * </pre>
 */
enum PostgresHeader implements MessageFramer.Header {
    /** The first message of a client. */
    BEGINNING(0, ""),
    CLIENT(1, "BCDEFHPQSXcdfp"),
    SERVER(1, "123ACDEGHIKNRSTVWZcdnstv");

    private static final int LENGTH_BYTES = 4;
    /** What palloc gives at most (MaxAllocSize of src/include/utils/memutils.h). */
    private static final long MAX_LENGTH = 0x3fff_ffff;

    private final int typeBytes;
    private final String types;

    PostgresHeader(int typeBytes, String types) {
        this.typeBytes = typeBytes;
        this.types = types;
    }

    @Override
    public int sizeBytes() {
        return typeBytes + LENGTH_BYTES;
    }

    @Override
    public long bodyBytes(byte[] header) throws ProtocolException {
        long length = PostgresBytes.int32(header, typeBytes);
        if (typeBytes > 0 && types.indexOf(header[0]) < 0) {
            throw new ProtocolException("a message of PostgreSQL does not begin with " + (header[0] & 0xff));
        }
        if (length < LENGTH_BYTES || length > MAX_LENGTH) {
            throw new ProtocolException("a message of PostgreSQL has no length of " + length);
        }
        return length - LENGTH_BYTES;
    }
}
