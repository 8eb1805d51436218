package dev.probestream.collector.internal.program.layout.v8;

import java.nio.ByteBuffer;

/**
 * Where the code is that V8 has made of a function without optimizing it, which has a frame for each function: {@code struct
 * baseline_layout} of src/main/bpf/known_threads.h, four u16 in this order. Offsets are from the start of an object (its
 * tagged pointer less 1). A function that has such code has it in place of its bytecode (SharedFunctionInfo::HasBaselineCode,
 * v8/src/objects/shared-function-info.h); code that replaces a running loop is never there.
 *
 * @param functionData in a SharedFunctionInfo: such Code, or other data; 0 = it is not known how code lies in memory
 * @param instructionStart in Code: the address of its first instruction; 0 = the instructions are in the Code
 * @param instructions in Code: these; 0 = they are apart
 * @param instructionSize in Code: their size in bytes, a u32
 */
public record BaselineCodeLayout(int functionData, int instructionStart, int instructions, int instructionSize) {
    /** Of a V8 whose code is not known. */
    public static final BaselineCodeLayout NONE = new BaselineCodeLayout(0, 0, 0, 0);

    static final int SIZE_BYTES = 4 * Short.BYTES;

    void put(ByteBuffer value) {
        value.putShort((short) functionData)
                .putShort((short) instructionStart)
                .putShort((short) instructions)
                .putShort((short) instructionSize);
    }
}
