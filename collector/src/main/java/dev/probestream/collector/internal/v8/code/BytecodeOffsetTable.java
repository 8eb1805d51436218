package dev.probestream.collector.internal.v8.code;

import dev.probestream.collector.internal.v8.layout.BytecodeSizes;

/**
 * From return addresses in baseline code to bytecode offsets: for each bytecode in turn, how many bytes of instructions
 * it has; the first number is the prologue (v8/src/baseline/bytecode-offset-iterator.h).
 */
final class BytecodeOffsetTable {
    private BytecodeOffsetTable() {}

    /**
     * The bytecode whose instructions end at or behind {@code pcOffset} and begin before it: where a call that returns there
     * was made. That of an instruction is the same one byte behind its start.
     *
     * @return -1 for the prologue
     */
    static int bytecodeOffsetAt(byte[] table, byte[] bytecode, BytecodeSizes sizes, int pcOffset)
            throws CodeFormatException {
        TableCursor cursor = new TableCursor("bytecode offset table", table, 0);
        long end = cursor.unsigned();
        int bytecodeOffset = SourcePositionTable.FUNCTION_ENTRY;
        int next = 0;
        while (end < pcOffset) {
            if (next >= bytecode.length) {
                throw cursor.malformed("more entries than bytecodes");
            }
            end += cursor.unsigned();
            bytecodeOffset = next;
            int size = sizes.sizeAt(bytecode, next);
            if (size == 0) {
                throw cursor.malformed("no bytecode at " + next);
            }
            next += size;
        }
        return bytecodeOffset;
    }
}
