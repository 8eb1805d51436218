package dev.probestream.schema.recording;

import dev.probestream.schema.format.FormatStamp;
import dev.probestream.schema.format.FormatVersion;
import dev.probestream.schema.record.Recording;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.SchemaCompatibility;
import org.apache.avro.SchemaCompatibility.SchemaCompatibilityType;
import org.apache.avro.SchemaCompatibility.SchemaPairCompatibility;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.DecoderFactory;
import org.jspecify.annotations.Nullable;

/**
 * The first bytes of an Avro object container file (Avro specification 1.12, "Object Container Files"):
 *
 * <pre>
 *   4 bytes   "Obj", 1
 *   map       metadata, string to bytes: avro.schema, avro.codec, ours
 *   16 bytes  the sync marker that ends every block
 * </pre>
 *
 * @param writerSchema what the records were written with; ours can read them
 * @param codecName as in the specification; "null" = the blocks are not compressed
 * @param endBytes position of the first block
 */
record RecordingHeader(Schema writerSchema, String codecName, SyncMarker syncMarker, long endBytes) {
    /** Ours has 8 KiB; at most this much of a file is read before it is rejected as another format. */
    static final int MAX_BYTES = 1 << 20;

    /** As our writer puts it into the header; saves parsing and resolving it. */
    private static final String OUR_SCHEMA = Recording.SCHEMA$.toString();

    private static final byte[] MAGIC = {'O', 'b', 'j', 1};
    private static final String ADVICE = "; give a file that 'record' has written";

    static RecordingHeader read(RecordingFile file) throws RecordingException {
        byte[] start = new byte[(int) Math.min(MAX_BYTES, file.sizeBytes())];
        file.read(0, start, start.length);
        return parse(file.path(), start);
    }

    /**
     * Reads the header.
     *
     * @param start the first bytes of the file, {@link #MAX_BYTES} or all it has
     */
    static RecordingHeader parse(Path path, byte[] start) throws RecordingFormatException {
        if (start.length == 0) {
            throw new RecordingFormatException(
                    path,
                    0,
                    "the file is empty: its writer was killed before it began, or it is not a recording",
                    null);
        }
        int common = Arrays.mismatch(start, MAGIC);
        if (common >= 0 && common < Math.min(start.length, MAGIC.length)) {
            throw new RecordingFormatException(path, common, "this is not an Avro file" + ADVICE, null);
        }
        BinaryDecoder decoder = DecoderFactory.get().binaryDecoder(start, null);
        try {
            decoder.skipFixed(MAGIC.length);
            Map<String, byte[]> metadata = readMetadata(decoder);
            byte[] sync = new byte[SyncMarker.BYTES];
            decoder.readFixed(sync);
            int endBytes = start.length - decoder.remainingBytes();
            FormatStamp stamp = FormatStamp.of(key -> text(metadata, key));
            if (!stamp.format().isEmpty() && !stamp.isReadable()) {
                throw new RecordingFormatException(path, MAGIC.length, stamp.refusal(), null);
            }
            String codecName = text(metadata, "avro.codec");
            return new RecordingHeader(
                    schema(path, metadata, stamp),
                    codecName == null ? "null" : codecName,
                    new SyncMarker(sync),
                    endBytes);
        } catch (EOFException e) {
            throw new RecordingFormatException(path, start.length, cutOff(start.length), e);
        } catch (RecordingFormatException e) {
            throw e;
        } catch (IOException | RuntimeException e) {
            // Avro throws more than its own exceptions for lengths that no array can have.
            throw new RecordingFormatException(
                    path,
                    start.length - decoder.remainingBytes(),
                    "its header is damaged: " + e.getMessage() + ADVICE,
                    e);
        }
    }

    private static String cutOff(int startBytes) {
        return startBytes < MAX_BYTES
                ? "the file ends inside its header (it was cut off, or is damaged); nothing of it can be read"
                : "its header has more than " + MAX_BYTES + " bytes, or is damaged; nothing of it can be read";
    }

    private static Map<String, byte[]> readMetadata(BinaryDecoder decoder) throws IOException {
        Map<String, byte[]> metadata = new HashMap<>();
        for (long entries = decoder.readMapStart(); entries > 0; entries = decoder.mapNext()) {
            for (long entry = 0; entry < entries; entry++) {
                String key = decoder.readString();
                ByteBuffer value = decoder.readBytes(null);
                byte[] bytes = new byte[value.remaining()];
                value.get(bytes);
                metadata.put(key, bytes);
            }
        }
        return metadata;
    }

    private static Schema schema(Path path, Map<String, byte[]> metadata, FormatStamp stamp)
            throws RecordingFormatException {
        String json = text(metadata, "avro.schema");
        if (stamp.isReadable() && OUR_SCHEMA.equals(json)) {
            return Recording.SCHEMA$;
        }
        Schema schema = parseSchema(path, json);
        if (!schema.getType().equals(Schema.Type.RECORD)
                || !schema.getFullName().equals(Recording.SCHEMA$.getFullName())) {
            throw new RecordingFormatException(
                    path,
                    MAGIC.length,
                    "this is an Avro file, but it holds " + schema.getName() + " and not recorded events" + ADVICE,
                    null);
        }
        if (!stamp.isReadable()) {
            throw new RecordingFormatException(path, MAGIC.length, stamp.refusal(), null);
        }
        SchemaPairCompatibility compatibility =
                SchemaCompatibility.checkReaderWriterCompatibility(Recording.SCHEMA$, schema);
        if (compatibility.getType() != SchemaCompatibilityType.COMPATIBLE) {
            throw new RecordingFormatException(
                    path,
                    MAGIC.length,
                    stamp.isNewer()
                            ? stamp.refusal()
                            : "its records have a schema that this Probestream (format " + FormatVersion.CURRENT
                                    + ") does not know, although its header says format " + stamp.format()
                                    + "; read it with the Probestream that wrote it"
                                    + (stamp.program().isEmpty() ? "" : ", " + stamp.program()),
                    null);
        }
        return schema;
    }

    private static Schema parseSchema(Path path, @Nullable String json) throws RecordingFormatException {
        if (json == null) {
            throw new RecordingFormatException(path, MAGIC.length, "its header has no avro.schema" + ADVICE, null);
        }
        try {
            return new Schema.Parser().parse(json);
        } catch (RuntimeException e) {
            // Not only Avro's own exceptions: odd JSON makes its parser run into casts and nulls.
            throw new RecordingFormatException(
                    path, MAGIC.length, "its header's avro.schema is not an Avro schema: " + beginning(e) + ADVICE, e);
        }
    }

    /** Avro's messages may repeat the whole schema. */
    private static String beginning(RuntimeException e) {
        String message = e.toString();
        return message.length() <= 200 ? message : message.substring(0, 200) + "...";
    }

    private static @Nullable String text(Map<String, byte[]> metadata, String key) {
        byte[] value = metadata.get(key);
        return value == null ? null : new String(value, StandardCharsets.UTF_8);
    }
}
