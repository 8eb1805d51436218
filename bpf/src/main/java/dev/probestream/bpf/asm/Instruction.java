package dev.probestream.bpf.asm;

import java.nio.ByteBuffer;

/**
 * One BPF instruction of 8 bytes ({@code struct bpf_insn} in linux/bpf.h), little-endian machines only:
 *
 * <pre>
 * offset  size  field
 *      0     1  code
 *      1     1  dst_reg (low four bits), src_reg (high four bits)
 *      2     2  off   signed: bytes for loads and stores, instructions for jumps (counted from the next one)
 *      4     4  imm   signed
 * </pre>
 *
 * A load of 64 immediate bits takes two instructions in a row. When its value is a map, or the address of a map's first
 * value, the first carries the map's name as its {@code symbol}, to be replaced by {@link #withMapDescriptor} at load time.
 * A call of a function of an object carries that function's name until the two are linked.
 *
 * @param opcode the code byte, 0 to 255
 * @param destination the dst_reg field
 * @param source the src_reg field
 * @param offset the off field, a signed 16-bit number
 * @param immediate the imm field
 * @param symbol name of the map to be loaded or of the function to be called, or empty
 */
public record Instruction(int opcode, Register destination, Register source, int offset, int immediate, String symbol) {
    /** Size of one instruction in the kernel's array. */
    public static final int SIZE_BYTES = 8;

    public Instruction {
        if (opcode < 0 || opcode > 0xff) {
            throw new IllegalArgumentException("opcode " + opcode + " does not fit in one byte");
        }
        if (offset != (short) offset) {
            throw new IllegalArgumentException("offset " + offset + " does not fit in the 16 bits of an instruction");
        }
    }

    Instruction(int opcode, Register destination, Register source, int offset, int immediate) {
        this(opcode, destination, source, offset, immediate, "");
    }

    /** {@return whether this instruction needs the descriptor of the map {@link #symbol}} */
    public boolean isMapLoad() {
        return !symbol.isEmpty() && opcode == Opcode.LOAD_IMMEDIATE_64;
    }

    /** {@return whether this calls a function of the program, which begins {@link #immediate} behind the next one} */
    public boolean isFunctionCall() {
        return opcode == Opcode.CALL && source == Opcode.BPF_PSEUDO_CALL;
    }

    /** {@return whether this calls the function {@link #symbol} of an object with which it is to be linked} */
    public boolean isLinkedCall() {
        return isFunctionCall() && !symbol.isEmpty();
    }

    /**
     * {@return whether this loads the address of a function, which begins {@link #immediate} instructions behind the next
     * one}
     */
    public boolean isFunctionLoad() {
        return opcode == Opcode.LOAD_IMMEDIATE_64 && source == Opcode.BPF_PSEUDO_FUNC;
    }

    /**
     * {@return the same map load, now with the descriptor of an open map}
     *
     * @param fileDescriptor of the open map
     */
    public Instruction withMapDescriptor(int fileDescriptor) {
        if (!isMapLoad()) {
            throw new IllegalStateException("'" + this + "' does not load a map");
        }
        return new Instruction(opcode, destination, source, offset, fileDescriptor);
    }

    Instruction withOffset(int newOffset) {
        return new Instruction(opcode, destination, source, newOffset, immediate, symbol);
    }

    Instruction withImmediate(int newImmediate) {
        return new Instruction(opcode, destination, source, offset, newImmediate, symbol);
    }

    /**
     * Appends the 8 bytes at the buffer's position. The buffer must be little-endian.
     *
     * @param buffer with room for 8 bytes
     */
    public void writeTo(ByteBuffer buffer) {
        buffer.put((byte) opcode);
        buffer.put((byte) (destination.code() | source.code() << 4));
        buffer.putShort((short) offset);
        buffer.putInt(immediate);
    }

    /** The instruction in the notation of the kernel's verifier log, such as {@code r2 = *(u32 *)(r10 -4)}. */
    @Override
    public String toString() {
        return InstructionText.of(this);
    }
}
