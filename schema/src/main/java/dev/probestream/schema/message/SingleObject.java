package dev.probestream.schema.message;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.HexFormat;
import org.apache.avro.Schema;
import org.apache.avro.SchemaNormalization;

/**
 * The bytes in front of a record that stands alone (Avro specification 1.12, "Single-object encoding"):
 *
 * <pre>
 *   0  2 bytes  C3 01
 *   2  8 bytes  CRC-64-AVRO fingerprint of the writer's schema, little-endian
 *  10           the record, Avro binary
 * </pre>
 */
final class SingleObject {
    static final int HEADER_BYTES = 10;

    private static final byte[] MARKER = {(byte) 0xC3, 1};
    private static final VarHandle LONG_AT =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private SingleObject() {}

    static long fingerprint(Schema schema) {
        return SchemaNormalization.parsingFingerprint64(schema);
    }

    /** Writes the header to the first {@link #HEADER_BYTES} bytes. */
    static void writeHeader(byte[] bytes, long fingerprint) {
        bytes[0] = MARKER[0];
        bytes[1] = MARKER[1];
        LONG_AT.set(bytes, MARKER.length, fingerprint);
    }

    /**
     * Checks the marker.
     *
     * @return the fingerprint of the writer's schema
     */
    static long readFingerprint(byte[] value) throws MessageFormatException {
        if (value.length < HEADER_BYTES) {
            throw new MessageFormatException(
                    value.length,
                    "it has " + value.length + " bytes, fewer than the " + HEADER_BYTES
                            + " of a header; the topic must hold nothing but what Probestream publishes",
                    null);
        }
        if (value[0] != MARKER[0] || value[1] != MARKER[1]) {
            throw new MessageFormatException(
                    0,
                    "it begins with " + HexFormat.of().formatHex(value, 0, MARKER.length)
                            + " and not with c301 (Avro single-object encoding); the topic must hold nothing but what"
                            + " Probestream publishes",
                    null);
        }
        return (long) LONG_AT.get(value, MARKER.length);
    }

    static MessageFormatException unknownSchema(long fingerprint) {
        return MessageFormatException.ofUnknownSchema(
                MARKER.length,
                "its schema (fingerprint " + HexFormat.of().toHexDigits(fingerprint)
                        + ") is unknown to this Probestream: another version has written it, or it is none of ours; update"
                        + " this Probestream if that one is newer, else record again with this one");
    }
}
