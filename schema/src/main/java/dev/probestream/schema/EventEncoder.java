package dev.probestream.schema;

import dev.probestream.schema.record.Event;
import dev.probestream.schema.record.EventKind;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes one {@link Event} at a time as Avro binary, byte for byte what Avro's own writer would, into an array that it
 * owns and reuses.
 *
 * <p>The calls for one event, in this order: {@code begin}, {@code beginNumbers}, as many {@code number} as announced,
 * {@code beginStrings}, as many {@code string} as announced, {@code end}. Then {@link #bytes()} from {@link #offset()},
 * {@link #length()} bytes long, is the event, until the next {@code begin}. A wrong order or count is a bug of the
 * caller and throws {@link IllegalStateException}. Nothing is allocated per event once the array has grown to the
 * largest one. Not safe for several threads.
 */
public final class EventEncoder {
    /**
     * Room kept in front of an event, so that a container can put its own bytes there without a copy: the branch of the
     * union in a recording, the ten bytes of Avro's single-object encoding elsewhere.
     */
    static final int HEADROOM_BYTES = 10;

    private static final int MAX_VARINT_BYTES = 10;

    private byte[] buffer = new byte[512];
    private int position = HEADROOM_BYTES;
    /** Items that the open array still waits for. */
    private int missing;

    /** Starts an event; times are CLOCK_MONOTONIC nanoseconds, {@code durationNs} is -1 where there is none. */
    @SuppressWarnings("EnumOrdinal") // what Avro writes: the generated enum has the schema's order
    public void begin(
            long captureId,
            long sequence,
            long timestampNs,
            long durationNs,
            int pid,
            int tid,
            int cpu,
            int probeId,
            EventKind kind) {
        position = HEADROOM_BYTES;
        missing = 0;
        ensure(9 * MAX_VARINT_BYTES);
        writeVarint(captureId);
        writeVarint(sequence);
        writeVarint(timestampNs);
        writeVarint(durationNs);
        writeVarint(pid);
        writeVarint(tid);
        writeVarint(cpu);
        writeVarint(probeId);
        writeVarint(kind.ordinal());
    }

    /** Announces {@code count} calls of {@link #number}. */
    public void beginNumbers(int count) {
        beginArray(count);
    }

    /** Writes one number; unsigned 64-bit values keep their bits. */
    public void number(long value) {
        missing--;
        ensure(MAX_VARINT_BYTES);
        writeVarint(value);
    }

    /** Ends the numbers and announces {@code count} calls of {@code string}. */
    public void beginStrings(int count) {
        endArray();
        beginArray(count);
    }

    /**
     * Writes {@code lengthBytes} bytes of UTF-8 at the absolute index {@code offset} of {@code source}, whose position,
     * limit and order are neither used nor changed. Malformed sequences become U+FFFD, one for each sequence that
     * {@link java.nio.charset.CharsetDecoder} would replace.
     */
    public void string(ByteBuffer source, int offset, int lengthBytes) {
        byte[] copy = new byte[lengthBytes];
        source.get(offset, copy);
        string(new String(copy, StandardCharsets.UTF_8));
    }

    /** Writes one string; allocates, so it is for tests and rare events. */
    public void string(String value) {
        missing--;
        byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
        ensure(MAX_VARINT_BYTES + utf8.length);
        writeVarint(utf8.length);
        System.arraycopy(utf8, 0, buffer, position, utf8.length);
        position += utf8.length;
    }

    /** Ends the strings and the event. */
    public void end(long returnValue, long stackId, long unavailable) {
        endArray();
        ensure(3 * MAX_VARINT_BYTES);
        writeVarint(returnValue);
        writeVarint(stackId);
        writeVarint(unavailable);
    }

    /** The array that holds the event; ours, valid until the next {@code begin}, and another one after it has grown. */
    public byte[] bytes() {
        return buffer;
    }

    /** Where in {@link #bytes()} the event starts. */
    public int offset() {
        return HEADROOM_BYTES;
    }

    /** How many bytes the event has so far; all of them after {@code end}. */
    public int length() {
        return position - HEADROOM_BYTES;
    }

    private void beginArray(int count) {
        if (count < 0) {
            throw new IllegalArgumentException("an array of " + count + " items");
        }
        missing = count;
        ensure(MAX_VARINT_BYTES);
        if (count > 0) {
            writeVarint(count);
        }
    }

    private void endArray() {
        if (missing != 0) {
            throw new IllegalStateException("an array of the event was announced with " + missing
                    + " more items than were written (negative: fewer)");
        }
        ensure(1);
        buffer[position++] = 0;
    }

    private void ensure(int sizeBytes) {
        if (buffer.length - position < sizeBytes) {
            buffer = Arrays.copyOf(buffer, Math.max(2 * buffer.length, Math.addExact(position, sizeBytes)));
        }
    }

    private void writeVarint(long value) {
        long rest = (value << 1) ^ (value >> 63);
        while ((rest & ~0x7FL) != 0) {
            buffer[position++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        buffer[position++] = (byte) rest;
    }
}
