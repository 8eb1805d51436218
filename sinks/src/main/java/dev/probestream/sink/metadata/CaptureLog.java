package dev.probestream.sink.metadata;

import dev.probestream.schema.file.PrivateFiles;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The metadata messages of one capture in order of arrival, in an append-only file that its instance deletes at the end.
 *
 * <pre>
 *   8 bytes   offset in the topic
 *   2 bytes   length of the key
 *   4 bytes   length of the value; -1 = a tombstone
 *   key, value
 * </pre>
 */
final class CaptureLog {
    private static final int TOMBSTONE = -1;

    /** Receives the messages one after the other. */
    interface Visitor {
        /** @param value null = a tombstone */
        void message(long offset, String key, byte @Nullable [] value) throws IOException;
    }

    private final Path path;
    private @Nullable ByteArrayOutputStream unwritten;

    CaptureLog(Path path) {
        this.path = path;
    }

    /** Buffers a message; {@link #flush} writes it. */
    void append(long offset, byte[] key, byte @Nullable [] value) throws IOException {
        ByteArrayOutputStream bytes = unwritten == null ? new ByteArrayOutputStream() : unwritten;
        unwritten = bytes;
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeLong(offset);
        out.writeShort(key.length);
        out.writeInt(value == null ? TOMBSTONE : value.length);
        out.write(key);
        if (value != null) {
            out.write(value);
        }
    }

    /** Writes the buffered messages to the file. */
    void flush() throws IOException {
        ByteArrayOutputStream bytes = unwritten;
        if (bytes == null) {
            return;
        }
        try (OutputStream file = PrivateFiles.append(path)) {
            bytes.writeTo(file);
        }
        unwritten = null;
    }

    /** Reads all flushed messages. */
    void read(Visitor visitor) throws IOException {
        if (!Files.exists(path)) {
            return;
        }
        long restBytes = Files.size(path);
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(path)))) {
            while (restBytes > 0) {
                long offset = in.readLong();
                byte[] key = new byte[in.readUnsignedShort()];
                int valueBytes = in.readInt();
                in.readFully(key);
                byte[] value = null;
                if (valueBytes != TOMBSTONE) {
                    value = new byte[valueBytes];
                    in.readFully(value);
                }
                visitor.message(offset, new String(key, StandardCharsets.US_ASCII), value);
                restBytes -= Long.BYTES + Short.BYTES + Integer.BYTES + key.length + Math.max(0, valueBytes);
            }
        }
    }

    void delete() throws IOException {
        unwritten = null;
        Files.deleteIfExists(path);
    }
}
