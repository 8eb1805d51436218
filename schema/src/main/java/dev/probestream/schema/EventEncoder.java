package dev.probestream.schema;

import dev.probestream.schema.record.Event;
import dev.probestream.schema.record.EventKind;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;

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
     * union in a recording, the header of a message ({@code MessageFraming}) elsewhere.
     */
    static final int HEADROOM_BYTES = 10;

    private static final int INITIAL_BYTES = 512;
    private static final int HEAD_BYTES = 9 * Varint.MAX_BYTES;
    private static final int TAIL_BYTES = 1 + 3 * Varint.MAX_BYTES;

    /** Which call is due. */
    private enum Step {
        BEGIN,
        BEGIN_NUMBERS,
        NUMBERS,
        STRINGS,
        COMPLETE
    }

    private int pid;
    private EventKind kind = EventKind.INSTANT;
    private long endNs;
    private byte[] buffer = new byte[INITIAL_BYTES];
    private int position = HEADROOM_BYTES;
    private Step step = Step.BEGIN;
    /** Items that the open array still waits for. */
    private int missing;

    /**
     * Starts an event; times are CLOCK_MONOTONIC nanoseconds, {@code durationNs} is -1 where there is none.
     *
     * @param captureId of its capture
     * @param sequence counts the capture's events from 0
     * @param timestampNs when it happened or began
     * @param durationNs how long it took; -1 = none
     * @param pid its process
     * @param tid its thread
     * @param cpu its CPU, from 0
     * @param probeId its Probe
     * @param kind what it describes
     */
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
        this.pid = pid;
        this.kind = kind;
        endNs = timestampNs + Math.max(0, durationNs);
        position = HEADROOM_BYTES;
        ensure(HEAD_BYTES);
        byte[] bytes = buffer;
        int at = Varint.write(bytes, HEADROOM_BYTES, captureId);
        at = Varint.write(bytes, at, sequence);
        at = Varint.write(bytes, at, timestampNs);
        at = Varint.write(bytes, at, durationNs);
        at = Varint.write(bytes, at, pid);
        at = Varint.write(bytes, at, tid);
        at = Varint.write(bytes, at, cpu);
        at = Varint.write(bytes, at, probeId);
        position = Varint.write(bytes, at, kind.ordinal());
        step = Step.BEGIN_NUMBERS;
    }

    /**
     * Announces {@code count} calls of {@link #number}.
     *
     * @param count 0 to 65,536
     */
    public void beginNumbers(int count) {
        require(Step.BEGIN_NUMBERS);
        beginArray(count);
        step = Step.NUMBERS;
    }

    /**
     * Writes one number; unsigned 64-bit values keep their bits.
     *
     * @param value the number
     */
    public void number(long value) {
        require(Step.NUMBERS);
        missing--;
        ensure(Varint.MAX_BYTES);
        position = Varint.write(buffer, position, value);
    }

    /**
     * Ends the numbers and announces {@code count} calls of {@code string}.
     *
     * @param count 0 to 65,536
     */
    public void beginStrings(int count) {
        require(Step.NUMBERS);
        endArray();
        beginArray(count);
        step = Step.STRINGS;
    }

    /**
     * Writes {@code lengthBytes} bytes of UTF-8 at the absolute index {@code offset} of {@code source}; its position is
     * neither used nor changed. Malformed sequences become U+FFFD, one for each that {@link
     * java.nio.charset.CharsetDecoder} would replace.
     *
     * @param source the buffer; not kept
     * @param offset where the text begins
     * @param lengthBytes how long it is
     * @throws IndexOutOfBoundsException if the bytes are not all below the buffer's limit
     */
    public void string(ByteBuffer source, int offset, int lengthBytes) {
        require(Step.STRINGS);
        Objects.checkFromIndexSize(offset, lengthBytes, source.limit());
        missing--;
        ensure(Varint.MAX_BYTES + lengthBytes);
        int at = Varint.write(buffer, position, lengthBytes);
        if (Utf8Text.copyAscii(source, offset, lengthBytes, buffer, at)) {
            position = at + lengthBytes;
            return;
        }
        int repairedBytes = Utf8Text.repairedLength(source, offset, lengthBytes);
        ensure(Varint.MAX_BYTES + repairedBytes);
        at = Varint.write(buffer, position, repairedBytes);
        Utf8Text.copyRepaired(source, offset, lengthBytes, buffer, at);
        position = at + repairedBytes;
    }

    /**
     * Writes one string; allocates, so it is not for the hot path. An unpaired surrogate becomes {@code ?}.
     *
     * @param value the text
     */
    public void string(String value) {
        byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
        string(ByteBuffer.wrap(utf8), 0, utf8.length);
    }

    /**
     * Ends the strings and the event.
     *
     * @param returnValue 0 if there is none
     * @param stackId 0 = no stack
     * @param unavailable bit i = argument i could not be read; bit 63 = the return value
     */
    public void end(long returnValue, long stackId, long unavailable) {
        require(Step.STRINGS);
        endArray();
        ensure(TAIL_BYTES);
        byte[] bytes = buffer;
        int at = Varint.write(bytes, position, returnValue);
        at = Varint.write(bytes, at, stackId);
        position = Varint.write(bytes, at, unavailable);
        step = Step.COMPLETE;
    }

    /** {@return the pid that the event was begun with; a message's key has it} */
    public int pid() {
        return pid;
    }

    /** {@return the kind that the event was begun with} */
    public EventKind kind() {
        return kind;
    }

    /** {@return when the event happened, or ended if it has a duration: CLOCK_MONOTONIC nanoseconds} */
    public long endNs() {
        return endNs;
    }

    /**
     * {@return the array that holds the event; ours, valid until the next {@code begin}, and another one after it has
     * grown}
     */
    public byte[] bytes() {
        return buffer;
    }

    /** {@return where in {@link #bytes()} the event starts: never at 0} */
    public int offset() {
        return HEADROOM_BYTES;
    }

    /** {@return how many bytes the event has} */
    public int length() {
        require(Step.COMPLETE);
        return position - HEADROOM_BYTES;
    }

    /**
     * Writes a whole event from its record; allocates nothing but what the record's own accessors do.
     *
     * @param event the record
     */
    public void encode(Event event) {
        begin(
                event.getCaptureId(),
                event.getSequence(),
                event.getTimestampNs(),
                event.getDurationNs(),
                event.getPid(),
                event.getTid(),
                event.getCpu(),
                event.getProbeId(),
                event.getKind());
        beginNumbers(event.getNumbers().size());
        event.getNumbers().forEach(this::number);
        beginStrings(event.getStrings().size());
        event.getStrings().forEach(this::string);
        end(event.getReturnValue(), event.getStackId(), event.getUnavailable());
    }

    private void beginArray(int count) {
        if (count < 0 || count > EventView.MAX_ITEMS) {
            throw new IllegalArgumentException(
                    "an array of " + count + " items, when 0 to " + EventView.MAX_ITEMS + " are possible");
        }
        missing = count;
        if (count > 0) {
            ensure(Varint.MAX_BYTES);
            position = Varint.write(buffer, position, count);
        }
    }

    private void endArray() {
        if (missing != 0) {
            throw new IllegalStateException("the " + step + " of the event lack " + missing
                    + " of the items that were announced (negative: there are too many)");
        }
        ensure(1);
        buffer[position++] = 0;
    }

    private void require(Step due) {
        if (step != due) {
            throw new IllegalStateException("the event is at step " + step + ", not " + due);
        }
    }

    private void ensure(int sizeBytes) {
        if (buffer.length - position < sizeBytes) {
            buffer = Arrays.copyOf(buffer, Math.max(2 * buffer.length, Math.addExact(position, sizeBytes)));
        }
    }
}
