package dev.probestream.schema;

import dev.probestream.schema.record.EventKind;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;

/**
 * Reads one encoded event at a time in place: the view borrows the caller's array, and its values are those of the
 * event wrapped last. Nothing is allocated per event, except by {@link #string}. Not safe for several threads.
 *
 * <p>Units and meanings of the values are those of the record {@link dev.probestream.schema.record.Event}.
 */
public final class EventView {
    private static final EventKind[] KINDS = EventKind.values();

    /** No probe has nearly as many arguments; keeps a damaged count from filling the memory. */
    static final int MAX_ITEMS = 1 << 16;

    private byte[] buffer = new byte[0];
    private int offset;
    private int position;
    private int limit;

    private long captureId;
    private long sequence;
    private long timestampNs;
    private long durationNs;
    private int pid;
    private int tid;
    private int cpu;
    private int probeId;
    private EventKind kind = EventKind.INSTANT;
    private long[] numbers = new long[8];
    private int numberCount;
    private int[] stringOffsets = new int[4];
    private int[] stringLengths = new int[4];
    private int stringCount;
    private long returnValue;
    private long stackId;
    private long unavailable;

    /**
     * Reads the event that starts at {@code offset} of {@code buffer} and must end at or before {@code limit}.
     *
     * @param buffer borrowed until the next call
     * @param offset where the event starts
     * @param limit where the buffer's contents end
     * @return the position just after the event
     * @throws MalformedEventException if the bytes are not an event; the view's values are then undefined
     */
    public int wrap(byte[] buffer, int offset, int limit) throws MalformedEventException {
        Objects.checkFromToIndex(offset, limit, buffer.length);
        this.buffer = buffer;
        this.offset = offset;
        this.position = offset;
        this.limit = limit;
        captureId = readLong();
        sequence = readLong();
        timestampNs = readLong();
        durationNs = readLong();
        pid = readInt();
        tid = readInt();
        cpu = readInt();
        probeId = readInt();
        kind = readKind();
        readNumbers();
        readStrings();
        returnValue = readLong();
        stackId = readLong();
        unavailable = readLong();
        return position;
    }

    /** {@return the capture that it belongs to} */
    public long captureId() {
        return captureId;
    }

    /** {@return its number among the delivered events of the capture, from 0} */
    public long sequence() {
        return sequence;
    }

    /** {@return when it happened or began, in nanoseconds of CLOCK_MONOTONIC of its host} */
    public long timestampNs() {
        return timestampNs;
    }

    /** {@return how long it took in nanoseconds; -1 = none} */
    public long durationNs() {
        return durationNs;
    }

    /** {@return its process, in the collector's pid namespace} */
    public int pid() {
        return pid;
    }

    /** {@return its thread, in the collector's pid namespace} */
    public int tid() {
        return tid;
    }

    /** {@return its CPU, from 0} */
    public int cpu() {
        return cpu;
    }

    /** {@return the id of its Probe record} */
    public int probeId() {
        return probeId;
    }

    /** {@return what it describes} */
    public EventKind kind() {
        return kind;
    }

    /** {@return how many numeric arguments it has} */
    public int numberCount() {
        return numberCount;
    }

    /**
     * {@return a numeric argument; unsigned 64-bit values keep their bits}
     *
     * @param index among the numbers, from 0
     */
    public long number(int index) {
        return numbers[Objects.checkIndex(index, numberCount)];
    }

    /** {@return how many text arguments it has} */
    public int stringCount() {
        return stringCount;
    }

    /**
     * {@return where in {@link #buffer()} the UTF-8 of a string starts}
     *
     * @param index among the texts, from 0
     */
    public int stringOffset(int index) {
        return stringOffsets[Objects.checkIndex(index, stringCount)];
    }

    /**
     * {@return how many bytes of UTF-8 a string has}
     *
     * @param index among the texts, from 0
     */
    public int stringLengthBytes(int index) {
        return stringLengths[Objects.checkIndex(index, stringCount)];
    }

    /**
     * {@return a string as an object of its own; allocates}
     *
     * @param index among the texts, from 0
     */
    public String string(int index) {
        return new String(buffer, stringOffset(index), stringLengthBytes(index), StandardCharsets.UTF_8);
    }

    /** {@return the borrowed array that {@link #wrap} was given} */
    public byte[] buffer() {
        return buffer;
    }

    /** {@return where in {@link #buffer()} the event starts} */
    public int offset() {
        return offset;
    }

    /** {@return how many bytes of {@link #buffer()} the event has} */
    public int lengthBytes() {
        return position - offset;
    }

    /** {@return what the function or system call returned; 0 if the Probe has no returnType} */
    public long returnValue() {
        return returnValue;
    }

    /** {@return the id of its Stack record; 0 = none} */
    public long stackId() {
        return stackId;
    }

    /** {@return bit i = argument i of the Probe could not be read; bit 63 = the return value} */
    public long unavailable() {
        return unavailable;
    }

    private EventKind readKind() throws MalformedEventException {
        int ordinal = readInt();
        if (ordinal < 0 || ordinal >= KINDS.length) {
            throw malformed("kind " + ordinal + " is not one of the " + KINDS.length + " known ones");
        }
        return KINDS[ordinal];
    }

    private void readNumbers() throws MalformedEventException {
        numberCount = 0;
        for (int items = readItemCount(0); items > 0; items = readItemCount(numberCount)) {
            if (numbers.length - numberCount < items) {
                numbers = Arrays.copyOf(numbers, Math.max(2 * numbers.length, numberCount + items));
            }
            for (int item = 0; item < items; item++) {
                numbers[numberCount++] = readLong();
            }
        }
    }

    private void readStrings() throws MalformedEventException {
        stringCount = 0;
        for (int items = readItemCount(0); items > 0; items = readItemCount(stringCount)) {
            if (stringOffsets.length - stringCount < items) {
                int capacity = Math.max(2 * stringOffsets.length, stringCount + items);
                stringOffsets = Arrays.copyOf(stringOffsets, capacity);
                stringLengths = Arrays.copyOf(stringLengths, capacity);
            }
            for (int item = 0; item < items; item++) {
                long lengthBytes = readLong();
                if (lengthBytes < 0 || lengthBytes > limit - position) {
                    throw malformed(
                            "a string of " + lengthBytes + " bytes where " + (limit - position) + " bytes are left");
                }
                stringOffsets[stringCount] = position;
                stringLengths[stringCount++] = (int) lengthBytes;
                position += (int) lengthBytes;
            }
        }
    }

    /** Items of the next block of an array; 0 = the array ends. A negative count is followed by the block's size. */
    private int readItemCount(int presentItems) throws MalformedEventException {
        long items = readLong();
        if (items < 0) {
            items = -items;
            readLong();
        }
        if (items < 0 || items > MAX_ITEMS - presentItems) {
            throw malformed("an array of more than " + MAX_ITEMS + " items");
        }
        if (items > limit - position) {
            throw malformed("an array of " + items + " items where " + (limit - position) + " bytes are left");
        }
        return (int) items;
    }

    private int readInt() throws MalformedEventException {
        long value = readLong();
        if (value != (int) value) {
            throw malformed(value + " where an int is due");
        }
        return (int) value;
    }

    private long readLong() throws MalformedEventException {
        byte[] bytes = buffer;
        int at = position;
        if (limit - at < Varint.MAX_BYTES) {
            return readLongNearLimit();
        }
        long zigZag = 0;
        for (int shift = 0; shift < 7 * Varint.MAX_BYTES; shift += 7) {
            byte next = bytes[at++];
            zigZag |= (next & 0x7FL) << shift;
            if (next >= 0) {
                position = at;
                return unZigZag(zigZag);
            }
        }
        throw malformed("a number of more than 10 bytes");
    }

    private long readLongNearLimit() throws MalformedEventException {
        long zigZag = 0;
        for (int shift = 0; shift < 7 * Varint.MAX_BYTES; shift += 7) {
            if (position >= limit) {
                throw malformed("the bytes end in the middle of a number");
            }
            byte next = buffer[position++];
            zigZag |= (next & 0x7FL) << shift;
            if (next >= 0) {
                return unZigZag(zigZag);
            }
        }
        throw malformed("a number of more than 10 bytes");
    }

    private static long unZigZag(long zigZag) {
        return (zigZag >>> 1) ^ -(zigZag & 1);
    }

    private MalformedEventException malformed(String reason) {
        return new MalformedEventException(position, reason);
    }
}
