package dev.probestream.bpf.asm;

/** The arithmetic operations, bits 4 to 7 of the opcode (linux/bpf.h, {@code BPF_ADD} and its family). */
enum Arithmetic {
    ADD(0x00, "+="),
    SUB(0x10, "-="),
    MUL(0x20, "*="),
    DIV(0x30, "/="),
    OR(0x40, "|="),
    AND(0x50, "&="),
    LSH(0x60, "<<="),
    RSH(0x70, ">>="),
    NEG(0x80, "= -"),
    MOD(0x90, "%="),
    XOR(0xa0, "^="),
    MOV(0xb0, "="),
    ARSH(0xc0, "s>>=");

    private final int opcodeBits;
    private final String sign;

    Arithmetic(int opcodeBits, String sign) {
        this.opcodeBits = opcodeBits;
        this.sign = sign;
    }

    int opcodeBits() {
        return opcodeBits;
    }

    String sign() {
        return sign;
    }
}
