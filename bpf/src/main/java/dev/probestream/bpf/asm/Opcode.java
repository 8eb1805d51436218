package dev.probestream.bpf.asm;

/** The parts of an opcode byte, as linux/bpf_common.h and linux/bpf.h name them. */
final class Opcode {
    // Instruction classes, bits 0 to 2.
    static final int BPF_LD = 0x00;
    static final int BPF_LDX = 0x01;
    static final int BPF_ST = 0x02;
    static final int BPF_STX = 0x03;
    static final int BPF_ALU = 0x04;
    static final int BPF_JMP = 0x05;
    static final int BPF_ALU64 = 0x07;

    // Modes of loads and stores, bits 5 to 7.
    static final int BPF_IMM = 0x00;
    static final int BPF_MEM = 0x60;
    static final int BPF_ATOMIC = 0xc0;

    // Immediates of atomic instructions, beside those of arithmetic. All of them return what was there before.
    static final int BPF_FETCH = 0x01;
    static final int BPF_XCHG = 0xe0 | BPF_FETCH;
    static final int BPF_CMPXCHG = 0xf0 | BPF_FETCH;

    // Where the second operand comes from, bit 3 of arithmetic and jumps.
    static final int BPF_K = 0x00;
    static final int BPF_X = 0x08;

    // Jumps that compare nothing.
    static final int BPF_JA = 0x00;
    static final int BPF_CALL = 0x80;
    static final int BPF_EXIT = 0x90;

    /** The first half of a 64-bit immediate load: {@code BPF_LD | BPF_IMM | BPF_DW}. */
    static final int LOAD_IMMEDIATE_64 = BPF_LD | BPF_IMM | 0x18;

    /** The second half of a 64-bit immediate load has no opcode of its own. */
    static final int SECOND_HALF = 0x00;

    /** A call of a helper, or of a function with {@link #BPF_PSEUDO_CALL}: {@code BPF_JMP | BPF_CALL}. */
    static final int CALL = BPF_JMP | BPF_CALL;

    /** Source "register" of a call of a function of the program: BPF_PSEUDO_CALL; the immediate is its distance. */
    static final Register BPF_PSEUDO_CALL = Register.R1;

    /** Source "register" of a 64-bit immediate load whose immediate is a map's descriptor: BPF_PSEUDO_MAP_FD. */
    static final Register BPF_PSEUDO_MAP_FD = Register.R1;

    /** The same for the address of a map's first value: BPF_PSEUDO_MAP_VALUE; the second half is an offset in bytes. */
    static final Register BPF_PSEUDO_MAP_VALUE = Register.R2;

    /** The same for the address of a function of the program: BPF_PSEUDO_FUNC; the immediate is its distance. */
    static final Register BPF_PSEUDO_FUNC = Register.R4;

    private Opcode() {}

    static int instructionClass(int opcode) {
        return opcode & 0x07;
    }

    static int operation(int opcode) {
        return opcode & 0xf0;
    }

    static boolean takesRegister(int opcode) {
        return (opcode & BPF_X) != 0;
    }
}
