package dev.probestream.collector.internal.v8.layout;

import java.util.Arrays;
import java.util.Optional;

/**
 * How many bytes each operation of V8's interpreter takes, for operands of 1, 2 and 4 bytes: the table
 * {@code v8::internal::interpreter::Bytecodes::kBytecodeSizes} of the binary, three rows of one byte per operation. The
 * first two operations are prefixes (Wide, ExtraWide: v8/src/interpreter/bytecodes.h) that choose the row of the next.
 */
public final class BytecodeSizes {
    static final String SYMBOL = "_ZN2v88internal11interpreter9Bytecodes14kBytecodeSizesE";
    /** There are 198 to 208 operations; no version can have more than a byte numbers. */
    static final int MAX_BYTES = 3 * 256;

    /** Wide, ExtraWide, DebugBreakWide, DebugBreakExtraWide, then DebugBreak of 0 to 4 operands: how each row begins. */
    private static final byte[][] ROW_STARTS = {
        {1, 1, 1, 1, 1, 2, 3, 4, 5}, {1, 1, 1, 1, 1, 3, 5, 7, 9}, {1, 1, 1, 1, 1, 5, 9, 13, 17},
    };

    private static final int MIN_OPERATIONS = 100;

    private final byte[] sizes;
    private final int operations;

    private BytecodeSizes(byte[] sizes, int operations) {
        this.sizes = sizes.clone();
        this.operations = operations;
    }

    /** Empty if the bytes are no such table: the number of operations is where the rows begin as they must. */
    static Optional<BytecodeSizes> in(byte[] bytes) {
        for (int operations = MIN_OPERATIONS; operations <= 256 && 3 * operations <= bytes.length; operations++) {
            if (startsAt(bytes, 0, ROW_STARTS[0])
                    && startsAt(bytes, operations, ROW_STARTS[1])
                    && startsAt(bytes, 2 * operations, ROW_STARTS[2])) {
                return Optional.of(new BytecodeSizes(bytes, operations));
            }
        }
        return Optional.empty();
    }

    private static boolean startsAt(byte[] bytes, int offset, byte[] start) {
        return Arrays.equals(bytes, offset, offset + start.length, start, 0, start.length);
    }

    /**
     * The size of the operation at {@code offset}, with its prefix.
     *
     * @return 0 if there is no operation: another number, or the end of the bytecode
     */
    public int sizeAt(byte[] bytecode, int offset) {
        int operation = bytecode[offset] & 0xff;
        if (operation > 1) {
            return size(0, operation);
        }
        int prefixed = offset + 1 < bytecode.length ? bytecode[offset + 1] & 0xff : operations;
        int size = size(operation + 1, prefixed);
        return size == 0 ? 0 : 1 + size;
    }

    private int size(int row, int operation) {
        return operation < operations ? sizes[row * operations + operation] : 0;
    }
}
