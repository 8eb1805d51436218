package dev.probestream.collector.internal.v8.code;

/**
 * Compiled code.
 *
 * @param address the Code, tagged
 * @param instructionStart address of its first instruction
 * @param instructionSize in bytes
 * @param kind CodeKind
 */
record CodeObject(long address, long instructionStart, int instructionSize, int kind) {
    boolean contains(long pc) {
        return pc >= instructionStart && pc < instructionStart + instructionSize;
    }

    int offset(long pc) {
        return (int) (pc - instructionStart);
    }
}
