package dev.probestream.schema.recording;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Walks over the blocks of zstandard frames without decompressing them (RFC 8878, 3.1):
 *
 * <pre>
 *   4 bytes     magic number FD2FB528, least significant byte first
 *   1 byte      descriptor: bits 7-6 size of the content's size, 5 single segment, 2 checksum, 1-0 size of the
 *               dictionary's id
 *   0-1 bytes   window, unless single segment
 *   0-4 bytes   the dictionary's id
 *   0-8 bytes   the content's size
 *   blocks      3 bytes: bit 0 last, bits 2-1 type, 21 bits size; then the block, 1 byte of it if type = 1 (repeated)
 *   0-4 bytes   checksum
 * </pre>
 */
final class ZstdFrames {
    /** No block decompresses to more (RFC 8878, 3.1.1.2.3). */
    private static final int MAX_BLOCK_BYTES = 128 << 10;

    private static final int FRAME_MAGIC = 0xFD2FB528;
    private static final int SKIPPABLE_MAGIC = 0x184D2A50;
    private static final int REPEATED = 1;
    private static final int RESERVED = 3;
    private static final VarHandle INT_AT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private final byte[] input;
    private final int limit;
    private int position;

    private ZstdFrames(byte[] input, int limit) {
        this.input = input;
        this.limit = limit;
    }

    /**
     * The most that the first {@code lengthBytes} bytes of {@code input} can decompress to. The library itself would
     * rather fill any room it is given from a damaged block, than report that the block is damaged.
     */
    static long maxContentBytes(byte[] input, int lengthBytes) throws BrokenBlockException {
        ZstdFrames frames = new ZstdFrames(input, lengthBytes);
        long blocks = 0;
        while (frames.position < lengthBytes) {
            blocks += frames.passFrame();
        }
        return blocks * MAX_BLOCK_BYTES;
    }

    /** Passes over a frame; answers how many blocks it has. */
    private int passFrame() throws BrokenBlockException {
        int magic = (int) INT_AT.get(input, pass(4));
        if ((magic & ~0xF) == SKIPPABLE_MAGIC) {
            pass((int) INT_AT.get(input, pass(4)));
            return 0;
        }
        if (magic != FRAME_MAGIC) {
            throw new BrokenBlockException("its compressed data does not begin a zstandard frame", null);
        }
        int descriptor = input[pass(1)];
        boolean isSingleSegment = (descriptor & 0x20) != 0;
        boolean hasChecksum = (descriptor & 0x04) != 0;
        int dictionaryIdBytes = (1 << (descriptor & 3)) >> 1;
        int contentSizeBytes = 1 << ((descriptor >> 6) & 3);
        if (contentSizeBytes == 1 && !isSingleSegment) {
            contentSizeBytes = 0;
        }
        pass((isSingleSegment ? 0 : 1) + dictionaryIdBytes + contentSizeBytes);
        int blocks = passBlocks();
        pass(hasChecksum ? 4 : 0);
        return blocks;
    }

    private int passBlocks() throws BrokenBlockException {
        int blocks = 0;
        boolean isLast;
        do {
            int at = pass(3);
            int head = (input[at] & 0xFF) | (input[at + 1] & 0xFF) << 8 | (input[at + 2] & 0xFF) << 16;
            isLast = (head & 1) != 0;
            int type = (head >> 1) & 3;
            if (type == RESERVED) {
                throw new BrokenBlockException("its compressed data is damaged: a block of a reserved type", null);
            }
            pass(type == REPEATED ? 1 : head >> 3);
            blocks++;
        } while (!isLast);
        return blocks;
    }

    /** Passes over {@code lengthBytes} bytes; answers where they begin. */
    private int pass(int lengthBytes) throws BrokenBlockException {
        if (lengthBytes < 0 || lengthBytes > limit - position) {
            throw new BrokenBlockException("its compressed data ends early", null);
        }
        int start = position;
        position += lengthBytes;
        return start;
    }
}
