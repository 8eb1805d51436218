package dev.probestream.schema;

import dev.probestream.schema.record.Recording;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.avro.Schema;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.apache.avro.specific.SpecificDatumWriter;
import org.apache.avro.specific.SpecificRecord;
import org.jspecify.annotations.Nullable;

/**
 * Writes a recording: a standard Avro object container file (zstandard) whose records are {@link Recording}s. Each block
 * reaches the operating system as soon as it is full, or on {@link #flush}: what a kill costs is the block in the making.
 * Not safe for several threads.
 */
public final class RecordingWriter implements AutoCloseable {
    private static final Schema CONTENT = Recording.SCHEMA$.getField("content").schema();

    private final Path file;
    private final DataFileWriter<Object> container;
    private final ByteArrayOutputStream record = new ByteArrayOutputStream();
    private final BinaryEncoder recordEncoder = EncoderFactory.get().directBinaryEncoder(record, null);

    private RecordingWriter(Path file, DataFileWriter<Object> container) {
        this.file = file;
        this.container = container;
    }

    /** Creates the file, or empties it if it exists. */
    public static RecordingWriter create(Path file) throws RecordingException {
        DataFileWriter<Object> container = new DataFileWriter<>(new GenericDatumWriter<>());
        container.setCodec(CodecFactory.zstandardCodec(1, true));
        container.setSyncInterval(256 * 1024);
        container.setMeta("probestream.version", "1");
        try {
            container.create(Recording.SCHEMA$, Files.newOutputStream(file));
            return new RecordingWriter(file, container);
        } catch (IOException e) {
            throw new RecordingException("cannot create " + file + ": " + e, e);
        }
    }

    /** Adds the event that {@code event} holds; its bytes are copied. */
    public void append(EventEncoder event) throws RecordingException {
        // Event is branch 0 of the union.
        byte[] bytes = event.bytes();
        int start = event.offset() - 1;
        bytes[start] = 0;
        appendEncoded(ByteBuffer.wrap(bytes, start, event.length() + 1));
    }

    /** Adds a record of any kind that {@link Recording} can hold. */
    public void append(SpecificRecord content) throws RecordingException {
        Schema schema = content.getSchema();
        @Nullable Integer branch = CONTENT.getIndexNamed(schema.getFullName());
        if (branch == null) {
            throw new IllegalArgumentException("a recording cannot hold a " + schema.getFullName());
        }
        try {
            record.reset();
            recordEncoder.writeIndex(branch);
            new SpecificDatumWriter<SpecificRecord>(schema, RecordData.INSTANCE).write(content, recordEncoder);
        } catch (IOException e) {
            throw new RecordingException("cannot encode a " + schema.getFullName() + " for " + file, e);
        }
        appendEncoded(ByteBuffer.wrap(record.toByteArray()));
    }

    /** Hands everything appended so far to the operating system, as a block of its own. */
    public void flush() throws RecordingException {
        try {
            container.flush();
        } catch (IOException e) {
            throw new RecordingException("cannot write to " + file + ": " + e, e);
        }
    }

    /** Writes the last block and closes the file. */
    @Override
    public void close() throws RecordingException {
        try {
            container.close();
        } catch (IOException e) {
            throw new RecordingException("cannot close " + file + ": " + e, e);
        }
    }

    private void appendEncoded(ByteBuffer record) throws RecordingException {
        try {
            container.appendEncoded(record);
        } catch (IOException e) {
            throw new RecordingException("cannot write to " + file + ": " + e, e);
        }
    }
}
