package dev.probestream.collector.internal.v8.code;

/**
 * From offsets in bytecode to positions in the source of the script (v8/src/codegen/source-position-table.cc). Each entry
 * is the difference from the entry before: the code offset, and the position, as zigzag number. The code offset is a zigzag
 * number, negative and less 1 if no statement begins there; since 14.1 an unsigned one above 2 bits, of which the lowest
 * is that flag. A position is 64 bits (v8/src/codegen/source-position.h):
 *
 * <pre>
 * bit 0       external: a line in a source of V8 itself
 * bits 1-30   offset in the script, plus 1
 * bits 31-46  number of the inlined function, plus 1
 * </pre>
 */
final class SourcePositionTable {
    static final int UNKNOWN = -1;

    /** kFunctionEntryBytecodeOffset: before the first bytecode; the first entry is relative to it. */
    static final int FUNCTION_ENTRY = -1;

    private static final int OFFSET_SHIFT = 1;
    private static final int OFFSET_MASK = (1 << 30) - 1;
    private static final int INLINED_SHIFT = 31;
    private static final int INLINED_MASK = (1 << 16) - 1;

    /** Since 14.1, below a code offset. */
    private static final int FLAG_BITS = 2;

    private SourcePositionTable() {}

    /**
     * The offset in the script of the last entry at or before {@code codeOffset}, which is what V8 takes
     * (AbstractCode::SourcePosition).
     *
     * @param hasFlags whether code offsets are above flags
     * @return {@link #UNKNOWN} if there is none
     */
    static int positionAt(byte[] table, int codeOffset, boolean hasFlags) throws CodeFormatException {
        return scriptOffset(rawPositionAt(table, codeOffset, hasFlags));
    }

    /** All 64 bits of the last entry at or before {@code codeOffset} that is not external; 0 is no position. */
    static long rawPositionAt(byte[] table, int codeOffset, boolean hasFlags) throws CodeFormatException {
        TableCursor cursor = new TableCursor("source position table", table, 0);
        long offset = FUNCTION_ENTRY;
        long rawPosition = 0;
        long found = 0;
        while (cursor.hasMore()) {
            offset += hasFlags ? cursor.unsigned() >>> FLAG_BITS : step(cursor.zigzag());
            rawPosition += cursor.zigzag();
            if (offset > codeOffset) {
                return found;
            }
            if ((rawPosition & 1) == 0) {
                found = rawPosition;
            }
        }
        return found;
    }

    private static long step(long number) {
        return number >= 0 ? number : -(number + 1);
    }

    static int scriptOffset(long rawPosition) {
        return (int) (rawPosition >> OFFSET_SHIFT & OFFSET_MASK) - 1;
    }

    /** Number of the inlined function that the position is in; {@link #UNKNOWN} if it is the outermost. */
    static int inlinedFunction(long rawPosition) {
        return (int) (rawPosition >> INLINED_SHIFT & INLINED_MASK) - 1;
    }
}
