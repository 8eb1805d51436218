package dev.probestream.collector.internal.protocol.mysql;

import dev.probestream.collector.internal.protocol.MessageFramer;
import dev.probestream.collector.internal.protocol.ProtocolException;

/**
 * The header of MySQL's packets ("MySQL Packets" of its protocol's documentation). Numbers are little-endian.
 *
 * <pre>
 * offset  size  field
 *      0     3  length   of the body
 *      3     1  number   counts the packets of a command and its answer from 0
 * </pre>
 */
enum MySqlHeader implements MessageFramer.Header {
    PACKET;

    static final int SIZE_BYTES = 4;
    static final int NUMBER_OFFSET = 3;

    @Override
    public int sizeBytes() {
        return SIZE_BYTES;
    }

    @Override
    public long bodyBytes(byte[] header) throws ProtocolException {
        if ((header[0] & 0xff) == 0x16 && header[1] == 3 && header[2] <= 4 && header[2] > 0) {
            throw new ProtocolException("a handshake of TLS");
        }
        return MySqlBytes.littleEndian(header, 0, 3);
    }
}
