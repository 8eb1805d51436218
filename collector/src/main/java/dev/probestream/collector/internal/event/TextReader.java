package dev.probestream.collector.internal.event;

import dev.probestream.collector.internal.program.layout.AddressSlot;
import dev.probestream.collector.internal.program.layout.ArgumentSlot;
import dev.probestream.collector.internal.redact.TextRules;
import dev.probestream.collector.probe.ArgumentType;
import dev.probestream.collector.probe.Disclosure;
import dev.probestream.collector.probe.TextRule;
import dev.probestream.schema.EventEncoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.IntPredicate;

/**
 * Reads the texts of samples and masks them by their rules. A text longer than its slot is cut at a character boundary
 * and ends in an ellipsis. Not thread-safe.
 */
final class TextReader {
    private static final byte[] ELLIPSIS = "…".getBytes(StandardCharsets.UTF_8);

    /** See {@link ArgumentSlot}. */
    private static final int TEXT_OFFSET = 4;

    /** Holds masked or cut texts. */
    private final ByteBuffer written = ByteBuffer.allocate(TextRules.capacityFor(ArgumentType.MAX_STRING_BYTES));

    private final TextRules rules;
    private final AddressText addresses = new AddressText(written);

    /** See {@link TextRules}. */
    TextReader(Disclosure shown, IntPredicate hasLostHits) {
        this.rules = new TextRules(written, shown, hasLostHits);
    }

    TextRules rules() {
        return rules;
    }

    /**
     * Writes one text.
     *
     * @return false if it could not be read; then "" is written
     */
    boolean read(
            ByteBuffer sample, int offset, int lengthBytes, ArgumentSlot slot, TextRule rule, EventEncoder encoder) {
        boolean isRead = switch (slot.type().form()) {
            case CHARS -> characters(sample, offset, lengthBytes, slot, rule, encoder);
            case SOCKADDR, PEER, SOCKNAME -> address(sample, offset, lengthBytes, slot, encoder);
            case F32, F64 -> floating(sample, offset, lengthBytes, slot, encoder);
            case STR, COUNTED, UP_TO, HTTP2_HEADER -> string(sample, offset, lengthBytes, slot, rule, encoder);
            case S8, U8, S16, U16, S32, U32, S64, U64, PTR, BOOL, UVSTREAM, UVREADER, DECLARED ->
                throw new IllegalArgumentException("argument type " + slot.type() + " is not a text");
        };
        if (!isRead) {
            rules.markUnreadable(rule);
            encoder.string(sample, offset, 0);
        }
        return isRead;
    }

    /** Writes the name of a thread, masked as an argument is: a program chooses it. */
    void name(ByteBuffer sample, int start, int sizeBytes, EventEncoder encoder) {
        rules.beginEvent();
        write(sample, start, lengthBytes(sample, start, sizeBytes), false, TextRule.ARGUMENT, encoder);
    }

    private boolean characters(
            ByteBuffer sample, int offset, int lengthBytes, ArgumentSlot slot, TextRule rule, EventEncoder encoder) {
        int start = offset + slot.offset();
        int capacity = slot.type().capacityBytes();
        if (slot.offset() + capacity > lengthBytes) {
            return false;
        }
        write(sample, start, lengthBytes(sample, start, capacity), false, rule, encoder);
        return true;
    }

    private boolean string(
            ByteBuffer sample, int offset, int lengthBytes, ArgumentSlot slot, TextRule rule, EventEncoder encoder) {
        int start = offset + slot.offset();
        int capacity = slot.type().capacityBytes();
        int bytes = slot.offset() + TEXT_OFFSET > lengthBytes ? 0 : sample.getInt(start);
        if (bytes <= 0 || slot.offset() + TEXT_OFFSET + bytes > lengthBytes) {
            return false;
        }
        int length = bytes - 1; // without the NUL
        boolean isCut = length > capacity;
        write(sample, start + TEXT_OFFSET, isCut ? capacity : length, isCut, rule, encoder);
        return true;
    }

    private boolean address(ByteBuffer sample, int offset, int lengthBytes, ArgumentSlot slot, EventEncoder encoder) {
        written.clear();
        if (slot.offset() + AddressSlot.SIZE_BYTES > lengthBytes || !addresses.write(sample, offset + slot.offset())) {
            return false;
        }
        encoder.string(written, 0, written.position());
        return true;
    }

    /** A floating-point number in decimal, as Java writes it: {@code 1.5}, {@code 1.0E10}, {@code NaN}. */
    private boolean floating(ByteBuffer sample, int offset, int lengthBytes, ArgumentSlot slot, EventEncoder encoder) {
        int start = offset + slot.offset();
        if (slot.offset() + Long.BYTES > lengthBytes) {
            return false;
        }
        String number = slot.type().form() == ArgumentType.Form.F32
                ? Float.toString(sample.getFloat(start))
                : Double.toString(sample.getDouble(start));
        written.clear();
        written.put(number.getBytes(StandardCharsets.US_ASCII));
        encoder.string(written, 0, written.position());
        return true;
    }

    /** The number of bytes before the first NUL. */
    static int lengthBytes(ByteBuffer sample, int start, int sizeBytes) {
        int length = 0;
        while (length < sizeBytes && sample.get(start + length) != 0) {
            length++;
        }
        return length;
    }

    private void write(
            ByteBuffer sample, int start, int lengthBytes, boolean isCut, TextRule rule, EventEncoder encoder) {
        if (rule == TextRule.PLAIN && !isCut) {
            encoder.string(sample, start, lengthBytes);
            return;
        }
        written.clear();
        int end = isCut ? wholeCharacters(sample, start, lengthBytes) : start + lengthBytes;
        if (rules.copy(rule, sample, start, end, isCut)) {
            written.put(ELLIPSIS);
        }
        encoder.string(written, 0, written.position());
    }

    /** The end of the last whole character within the capacity. Bytes 10xxxxxx continue a character (UTF-8). */
    private static int wholeCharacters(ByteBuffer sample, int start, int capacity) {
        int length = capacity;
        while (length > 0 && (sample.get(start + length) & 0xc0) == 0x80) {
            length--;
        }
        return start + length;
    }
}
