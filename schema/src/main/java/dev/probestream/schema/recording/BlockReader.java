package dev.probestream.schema.recording;

import dev.probestream.schema.Varint;
import java.io.IOException;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.DecoderFactory;
import org.jspecify.annotations.Nullable;

/**
 * Reads the blocks of one Avro object container file, and passes over those that are broken (Avro specification 1.12,
 * "Object Container Files"):
 *
 * <pre>
 *   varint    number of records
 *   varint    size of the data in bytes
 *   ...       the records, compressed
 *   16 bytes  the file's sync marker
 * </pre>
 *
 * <p>Avro's own reader is not used for this, because it allocates a block's claimed size before it has read the marker
 * behind the block, and does not report its position in the file.
 */
final class BlockReader implements AutoCloseable {
    private static final String CUT_OFF =
            "the file ends inside a block: it was cut off, its writer was killed, or the size of the block is damaged";
    private static final int HEAD_BYTES = 2 * Varint.MAX_BYTES;
    /** How much the search for the next sync marker reads at first; doubles up to the size of the scratch. */
    private static final int FIRST_SEARCH_BYTES = 1 << 9;

    private final RecordingFile file;
    private final SyncMarker syncMarker;
    private final BlockCodec codec;
    private final DamageLog damages;
    private final byte[] scratch = new byte[1 << 16];
    private byte[] compressed = new byte[1 << 16];
    private @Nullable BinaryDecoder head;

    private long blockPosition;
    private long dataPosition;
    private long dataBytes;
    private long nextPosition;
    private long recordCount;
    private int lengthBytes;
    private long blocks;

    /** Reads {@code file}, which it borrows, from the end of its header on. */
    BlockReader(RecordingFile file, RecordingHeader header, DamageLog damages) throws RecordingException {
        this.file = file;
        this.syncMarker = header.syncMarker();
        this.damages = damages;
        this.codec = BlockCodec.of(file.path(), header.codecName());
        this.nextPosition = header.endBytes();
    }

    /** Goes to the next block that can be decompressed; what is passed over becomes damages. False at the end. */
    boolean next() throws RecordingException {
        while (nextPosition < file.sizeBytes()) {
            blockPosition = nextPosition;
            try {
                findFrame();
            } catch (BrokenBlockException e) {
                nextPosition = positionAfterNextMarker();
                markBroken(e.reason());
                continue;
            }
            try {
                unpack();
                blocks++;
                return true;
            } catch (BrokenBlockException e) {
                markBroken(e.reason());
            }
        }
        return false;
    }

    /**
     * Goes to a position instead of to the next block.
     *
     * @param position where a block begins
     */
    void seek(long position) {
        nextPosition = position;
    }

    /**
     * Goes to the next block, without decompressing it; what is broken is passed over and is no damage here. False at the
     * end.
     */
    boolean nextFrame() throws RecordingException {
        while (nextPosition < file.sizeBytes()) {
            blockPosition = nextPosition;
            try {
                findFrame();
                return true;
            } catch (BrokenBlockException e) {
                nextPosition = positionAfterNextMarker();
            }
        }
        return false;
    }

    /**
     * Goes behind the first block's end at or after a position.
     *
     * @param position anywhere in the file behind its header
     */
    void seekBlockAfter(long position) throws RecordingException {
        blockPosition = position;
        nextPosition = positionAfterNextMarker();
    }

    /** Decompresses the block that {@link #nextFrame} went to; false if it is broken. */
    boolean open() throws RecordingException {
        try {
            unpack();
            return true;
        } catch (BrokenBlockException e) {
            return false;
        }
    }

    /** Where this block begins in the file. */
    long position() {
        return blockPosition;
    }

    /** The block's data, from index 0; valid until the next block. */
    byte[] data() {
        return codec.output();
    }

    int lengthBytes() {
        return lengthBytes;
    }

    /** How many records the block's head claims. */
    long recordCount() {
        return recordCount;
    }

    /** How many blocks could be decompressed so far. */
    long blocks() {
        return blocks;
    }

    /** Notes that this block could not be read to its end. */
    void markBroken(String reason) {
        damages.add(new ReadOutcome.Damage(blockPosition, nextPosition - blockPosition, reason));
    }

    /** Notes that this block was read to its end, but contradicts its head. */
    void markOdd(String reason) {
        damages.add(new ReadOutcome.Damage(blockPosition, 0, reason));
    }

    @Override
    public void close() {
        codec.close();
    }

    /** Reads the block's head and makes sure that its marker is at the claimed end. */
    private void findFrame() throws BrokenBlockException, RecordingException {
        int headBytes = (int) Math.min(HEAD_BYTES, file.sizeBytes() - blockPosition);
        file.read(blockPosition, scratch, headBytes);
        try {
            head = DecoderFactory.get().binaryDecoder(scratch, 0, headBytes, head);
            recordCount = head.readLong();
            dataBytes = head.readLong();
            dataPosition = blockPosition + headBytes - head.remainingBytes();
        } catch (IOException e) {
            throw new BrokenBlockException(headBytes < HEAD_BYTES ? CUT_OFF : "no block begins here", e);
        }
        if (recordCount < 0 || dataBytes < 0) {
            throw new BrokenBlockException(
                    "no block begins here: it would have " + recordCount + " records in " + dataBytes + " bytes", null);
        }
        if (dataBytes > file.sizeBytes() - dataPosition - SyncMarker.BYTES) {
            throw new BrokenBlockException(CUT_OFF, null);
        }
        file.read(dataPosition + dataBytes, scratch, SyncMarker.BYTES);
        if (!syncMarker.isAt(scratch, 0)) {
            throw new BrokenBlockException(
                    "the sync marker is missing behind a block of " + dataBytes + " bytes", null);
        }
        nextPosition = dataPosition + dataBytes + SyncMarker.BYTES;
    }

    private void unpack() throws BrokenBlockException, RecordingException {
        if (dataBytes > BlockCodec.MAX_BLOCK_BYTES) {
            throw BlockCodec.tooLarge();
        }
        int compressedBytes = (int) dataBytes;
        if (compressed.length < compressedBytes) {
            compressed = new byte[compressedBytes];
        }
        file.read(dataPosition, compressed, compressedBytes);
        lengthBytes = codec.decompress(compressed, compressedBytes);
    }

    /** Where the next block may begin after one whose frame is broken; the file's end if no marker follows. */
    private long positionAfterNextMarker() throws RecordingException {
        long position = blockPosition;
        int searchBytes = FIRST_SEARCH_BYTES;
        while (position + SyncMarker.BYTES <= file.sizeBytes()) {
            int present = (int) Math.min(searchBytes, file.sizeBytes() - position);
            file.read(position, scratch, present);
            int found = syncMarker.find(scratch, present);
            if (found >= 0) {
                return position + found + SyncMarker.BYTES;
            }
            // The marker may begin in this piece and end in the next.
            position += present - (SyncMarker.BYTES - 1);
            searchBytes = Math.min(2 * searchBytes, scratch.length);
        }
        return file.sizeBytes();
    }
}
