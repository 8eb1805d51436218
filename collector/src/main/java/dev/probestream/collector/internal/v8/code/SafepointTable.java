package dev.probestream.collector.internal.v8.code;

import dev.probestream.collector.internal.v8.layout.V8CodeLayout.Safepoints;
import java.util.OptionalInt;

/**
 * The places in optimised code where a call returns to: each with the index of its deoptimisation entry. An entry is, with
 * sizes from the configuration:
 *
 * <pre>
 * pc                  offset from the first instruction
 * [deoptimisation]    index plus 1, 0 = none
 * [trampoline]        pc plus 1, which replaces the return address when the code has become invalid
 * [other bytes]       Maglev: number of spilled registers
 * registers           which hold tagged values
 * </pre>
 */
final class SafepointTable {
    static final int NONE = -1;

    /** Configuration: 1 bit whether there are deoptimisation and trampoline, then 3 bits each. */
    private static final int REGISTERS_SHIFT = 1;

    private static final int PC_SHIFT = 4;
    private static final int DEOPTIMISATION_SHIFT = 7;
    private static final int SIZE_MASK = 7;
    private static final int MAX_ENTRIES = 1 << 16;

    private final Safepoints layout;
    private final int length;
    private final boolean hasDeoptimisation;
    private final int registerBytes;
    private final int pcBytes;
    private final int deoptimisationBytes;

    /** @param header the first {@link Safepoints#entries} bytes of the table */
    SafepointTable(Safepoints layout, byte[] header) throws CodeFormatException {
        this.layout = layout;
        TableCursor cursor = new TableCursor("safepoint table", header, layout.length());
        length = cursor.unsignedBytes(Integer.BYTES);
        cursor.moveTo(layout.configuration());
        int configuration = cursor.unsignedBytes(Integer.BYTES);
        hasDeoptimisation = (configuration & 1) != 0;
        registerBytes = configuration >> REGISTERS_SHIFT & SIZE_MASK;
        pcBytes = configuration >> PC_SHIFT & SIZE_MASK;
        deoptimisationBytes = configuration >> DEOPTIMISATION_SHIFT & SIZE_MASK;
        if (length < 0 || length > MAX_ENTRIES || pcBytes > Integer.BYTES || deoptimisationBytes > Integer.BYTES) {
            throw cursor.malformed(length + " entries of configuration " + Integer.toHexString(configuration));
        }
    }

    /** How many bytes of entries follow the header. */
    int entryBytes() {
        int deoptimisation = hasDeoptimisation ? deoptimisationBytes + pcBytes : 0;
        return length * (pcBytes + deoptimisation + layout.otherBytes() + registerBytes);
    }

    /**
     * The deoptimisation index where a call returns to {@code pcOffset}.
     *
     * @return empty if no call returns there; {@link #NONE} if one does, without a deoptimisation entry
     */
    OptionalInt deoptimisationAt(byte[] entries, int pcOffset) throws CodeFormatException {
        TableCursor cursor = new TableCursor("safepoint table", entries, 0);
        for (int i = 0; i < length; i++) {
            int pc = cursor.unsignedBytes(pcBytes);
            int deoptimisation = hasDeoptimisation ? cursor.unsignedBytes(deoptimisationBytes) - 1 : NONE;
            int trampoline = hasDeoptimisation ? cursor.unsignedBytes(pcBytes) - 1 : NONE;
            cursor.moveTo(cursor.offset() + layout.otherBytes() + registerBytes);
            if (pc == pcOffset || trampoline == pcOffset) {
                return OptionalInt.of(deoptimisation);
            }
        }
        return OptionalInt.empty();
    }
}
