package dev.probestream.schema.message;

import dev.probestream.schema.record.Event;
import dev.probestream.schema.registry.SchemaRegistryException;
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
final class SingleObject implements MessageFraming {
    private static final int HEADER_BYTES = 10;

    private static final byte[] MARKER = {(byte) 0xC3, 1};
    private static final VarHandle LONG_AT =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private static final long EVENT = fingerprint(Event.SCHEMA$);

    static long fingerprint(Schema schema) {
        return SchemaNormalization.parsingFingerprint64(schema);
    }

    @Override
    public byte[] header(Schema schema) {
        byte[] header = new byte[HEADER_BYTES];
        header[0] = MARKER[0];
        header[1] = MARKER[1];
        LONG_AT.set(header, MARKER.length, MessageSchemas.fingerprint(schema));
        return header;
    }

    @Override
    public Schema schema(byte[] value) throws MessageFormatException, SchemaRegistryException {
        if (RegistryFraming.isIn(value)) {
            throw new SchemaRegistryException("read a message that begins with 00 and the id of a schema: the schema"
                    + " is in a schema registry; give its URL with --schema-registry");
        }
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
        long fingerprint = (long) LONG_AT.get(value, MARKER.length);
        // Nearly all are events: no box for the map.
        Schema schema = fingerprint == EVENT ? Event.SCHEMA$ : MessageSchemas.of(fingerprint);
        if (schema == null) {
            throw MessageSchemas.unknown(
                    MARKER.length, "fingerprint " + HexFormat.of().toHexDigits(fingerprint));
        }
        return schema;
    }

    @Override
    public int bodyOffset(byte[] value) {
        return HEADER_BYTES;
    }
}
