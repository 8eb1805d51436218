package dev.probestream.schema.recording;

import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.RecordData;
import dev.probestream.schema.format.FormatStamp;
import dev.probestream.schema.message.EventMessage;
import dev.probestream.schema.record.Event;
import dev.probestream.schema.record.Keyframe;
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
 * Writes a recording: a standard Avro object container file (zstandard) whose records are {@code Recording}s.
 *
 * <p>Records are gathered into blocks of {@value #BLOCK_BYTES} bytes before compression. A block reaches the operating
 * system as soon as it is full, or on {@link #flush}: a kill of this process loses the block that is being filled. When
 * a write fails, the file is cut back to its last whole block and stays a valid file; every later call but
 * {@link #close} then throws. Not safe for several threads.
 */
public final class RecordingWriter implements AutoCloseable {
    /**
     * Measured with 75-byte events: blocks of 64 KiB cost 20 % more time and 2 % more space, 1 MiB saves 1 % and 0.5 %,
     * and loses four times as much to a kill.
     */
    private static final int BLOCK_BYTES = 256 * 1024;
    /** The fastest of zstd's ordinary levels; level 3 takes a quarter more time for a twentieth less space. */
    private static final int ZSTD_LEVEL = 1;

    /** Keeps every block far below what the reader accepts. */
    private static final int MAX_RECORD_BYTES = BlockCodec.MAX_BLOCK_BYTES / 2;

    private static final Schema CONTENT = Recording.SCHEMA$.getField("content").schema();
    /** Zig-zag; one byte, because a Recording has far fewer than 64 branches. */
    private static final byte EVENT_BRANCH = (byte) (2 * branchOf(Event.SCHEMA$));

    private final Path path;
    private final WholeBlocksFile file;
    private final DataFileWriter<Object> container;
    private final ByteArrayOutputStream record = new ByteArrayOutputStream();
    private final BinaryEncoder recordEncoder = EncoderFactory.get().directBinaryEncoder(record, null);
    /** Around the array of the event that was appended last: an encoder keeps its array. */
    private ByteBuffer eventBuffer = ByteBuffer.allocate(0);

    private @Nullable RecordingException failure;
    private boolean isClosed;

    private RecordingWriter(Path path, WholeBlocksFile file, DataFileWriter<Object> container) {
        this.path = path;
        this.file = file;
        this.container = container;
    }

    /**
     * Loads what the first recording of a JVM needs: the schemas, the codec and its native library. Saves time when it is
     * called on another thread before; nothing else needs it.
     *
     * @throws RecordingException if the library cannot be loaded
     */
    public static void prepare() throws RecordingException {
        BlockCodec.ZstdLibrary.load();
        CodecFactory.zstandardCodec(ZSTD_LEVEL, true);
        RecordData.INSTANCE.createDatumWriter(Recording.SCHEMA$);
    }

    /**
     * Creates the file, replacing one that exists, and writes its header.
     *
     * @param path of the file; its mode becomes 0600
     * @return the writer; the caller closes it
     * @throws RecordingException if the file cannot be created or written; there is then no file
     */
    public static RecordingWriter create(Path path) throws RecordingException {
        BlockCodec.ZstdLibrary.load();
        WholeBlocksFile file;
        try {
            file = WholeBlocksFile.create(path);
        } catch (IOException e) {
            throw new RecordingException(
                    "cannot create recording " + path + ": " + Reason.of(e)
                            + "; name a file in a folder that exists and that you may write to",
                    e);
        }
        DataFileWriter<Object> container = new DataFileWriter<>(new GenericDatumWriter<>());
        container.setCodec(CodecFactory.zstandardCodec(ZSTD_LEVEL, true));
        container.setSyncInterval(BLOCK_BYTES);
        FormatStamp.OWN.entries().forEach(container::setMeta);
        try {
            container.create(Recording.SCHEMA$, file);
            return new RecordingWriter(path, file, container);
        } catch (IOException e) {
            try (file) {
                Files.delete(path);
            } catch (IOException deletion) {
                e.addSuppressed(deletion);
            }
            throw new RecordingException(
                    "cannot write the header of recording " + path + ": " + Reason.of(e)
                            + "; free space on its disk or name a file on another",
                    e);
        }
    }

    /**
     * Adds the event that {@code event} holds, which must be complete; its bytes are copied.
     *
     * @param event a whole event
     * @throws RecordingException if the disk refuses a block; see the class
     */
    public void append(EventEncoder event) throws RecordingException {
        appendEncodedEvent(event.bytes(), event.offset(), event.length());
    }

    /**
     * Adds an event that is encoded already, as it stands in an {@link EventMessage}; its bytes are copied, not
     * checked.
     *
     * @param buffer holds the event
     * @param offset where in {@code buffer} the event starts, at least 1: the byte before it is overwritten
     * @param lengthBytes how many bytes the event has
     * @throws RecordingException if the disk refuses a block; see the class
     */
    public void appendEncodedEvent(byte[] buffer, int offset, int lengthBytes) throws RecordingException {
        int start = offset - 1;
        buffer[start] = EVENT_BRANCH;
        if (eventBuffer.array() != buffer) {
            eventBuffer = ByteBuffer.wrap(buffer);
        }
        appendEncoded(eventBuffer.limit(offset + lengthBytes).position(start));
    }

    /**
     * Adds a record of any kind that {@code Recording} can hold; meant for everything but events. A Keyframe becomes a
     * block of its own, so that it is found without decompressing what is around it.
     *
     * @param content the record
     * @throws RecordingException if the disk refuses a block; see the class
     */
    public void append(SpecificRecord content) throws RecordingException {
        Schema schema = content.getSchema();
        record.reset();
        try {
            recordEncoder.writeIndex(branchOf(schema));
            new SpecificDatumWriter<SpecificRecord>(schema, RecordData.INSTANCE).write(content, recordEncoder);
        } catch (IOException e) {
            throw new IllegalStateException("cannot encode " + schema.getFullName() + " in memory", e);
        }
        boolean isOwnBlock = content instanceof Keyframe;
        if (isOwnBlock) {
            flush();
        }
        appendEncoded(ByteBuffer.wrap(record.toByteArray()));
        if (isOwnBlock) {
            flush();
        }
    }

    /**
     * Hands everything appended so far to the operating system, as a block of its own: from then on a kill of this
     * process does not touch it. Small blocks compress badly, so once a second is often enough.
     *
     * @throws RecordingException if the disk refuses a block; see the class
     */
    public void flush() throws RecordingException {
        requireUsable();
        try {
            container.flush();
        } catch (IOException e) {
            throw broken(e);
        }
    }

    /**
     * As {@link #flush}, and waits until the disk has it: from then on a crash of the machine does not touch it.
     *
     * @throws RecordingException if the disk refuses it; see the class
     */
    public void sync() throws RecordingException {
        flush();
        try {
            file.sync();
        } catch (IOException e) {
            throw broken(e);
        }
    }

    /** {@return how many bytes the file has, up to its last whole block} */
    public long sizeBytes() {
        return file.wholeBytes();
    }

    /** Writes the last block and closes the file. After a failure, which was thrown already, it only closes. */
    @Override
    public void close() throws RecordingException {
        if (isClosed) {
            return;
        }
        try (file) {
            if (failure == null) {
                flush();
            }
        } catch (RecordingException e) {
            throw e;
        } catch (IOException e) {
            throw new RecordingException("cannot close recording " + path + ": " + Reason.of(e), e);
        } finally {
            isClosed = true;
        }
    }

    private void appendEncoded(ByteBuffer datum) throws RecordingException {
        requireUsable();
        if (datum.remaining() > MAX_RECORD_BYTES) {
            throw new IllegalArgumentException(
                    "a record of " + datum.remaining() + " bytes, when at most " + MAX_RECORD_BYTES + " are possible");
        }
        try {
            container.appendEncoded(datum);
        } catch (IOException e) {
            throw broken(e);
        }
    }

    private void requireUsable() throws RecordingException {
        if (isClosed) {
            throw new IllegalStateException("recording " + path + " is closed");
        }
        if (failure != null) {
            throw new RecordingException(
                    "recording " + path + " takes no more records: " + failure.getMessage(), failure);
        }
    }

    private RecordingException broken(IOException cause) {
        String state =
                "the file was cut back to its last whole block (" + file.wholeBytes() + " bytes) and stays valid";
        try {
            file.cutBack();
        } catch (IOException e) {
            cause.addSuppressed(e);
            state = "its last block is incomplete and will be skipped by readers";
        }
        failure = new RecordingException(
                "cannot write to recording " + path + ": " + Reason.of(cause) + "; " + state
                        + "; free space on its disk or record to another",
                cause);
        return failure;
    }

    private static int branchOf(Schema schema) {
        Integer branch = CONTENT.getIndexNamed(schema.getFullName());
        if (branch == null) {
            throw new IllegalArgumentException("a recording cannot hold a " + schema.getFullName());
        }
        return branch;
    }
}
