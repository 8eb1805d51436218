package dev.probestream.collector.event;

import dev.probestream.collector.probe.ArgumentType;
import dev.probestream.collector.program.ArgumentSlot;
import dev.probestream.schema.EventEncoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Reads the texts of samples. One that did not fit its room is cut at a whole character and ends in an ellipsis, so
 * that it cannot be taken for the whole. For one thread.
 */
final class TextReader {
    private static final byte[] ELLIPSIS = "…".getBytes(StandardCharsets.UTF_8);

    /** drawn in {@link ArgumentSlot} */
    private static final int TEXT_OFFSET = 4;

    private final ByteBuffer cut = ByteBuffer.allocate(ArgumentType.MAX_STRING_BYTES + ELLIPSIS.length);

    /**
     * Writes one text.
     *
     * @return false when it could not be read; then it is ""
     */
    boolean read(ByteBuffer sample, int offset, int lengthBytes, ArgumentSlot slot, EventEncoder encoder) {
        int start = offset + slot.offset();
        int capacity = slot.type().capacityBytes();
        if (slot.type().form() == ArgumentType.Form.CHARS) {
            if (slot.offset() + capacity > lengthBytes) {
                encoder.string(sample, start, 0);
                return false;
            }
            encoder.string(sample, start, lengthBytes(sample, start, capacity));
            return true;
        }
        int bytes = slot.offset() + TEXT_OFFSET > lengthBytes ? 0 : sample.getInt(start);
        if (bytes <= 0 || slot.offset() + TEXT_OFFSET + bytes > lengthBytes) {
            encoder.string(sample, offset, 0);
            return false;
        }
        int length = bytes - 1; // without the NUL
        if (length > capacity) {
            cut(sample, start + TEXT_OFFSET, capacity, encoder);
        } else {
            encoder.string(sample, start + TEXT_OFFSET, length);
        }
        return true;
    }

    /** How many of the bytes come before the first NUL. */
    static int lengthBytes(ByteBuffer sample, int start, int sizeBytes) {
        int length = 0;
        while (length < sizeBytes && sample.get(start + length) != 0) {
            length++;
        }
        return length;
    }

    private void cut(ByteBuffer sample, int start, int capacity, EventEncoder encoder) {
        int length = capacity;
        // Bytes 10xxxxxx go on with a character: do not keep the beginning of one.
        while (length > 0 && (sample.get(start + length) & 0xc0) == 0x80) {
            length--;
        }
        for (int i = 0; i < length; i++) {
            cut.put(i, sample.get(start + i));
        }
        for (int i = 0; i < ELLIPSIS.length; i++) {
            cut.put(length + i, ELLIPSIS[i]);
        }
        encoder.string(cut, 0, length + ELLIPSIS.length);
    }
}
