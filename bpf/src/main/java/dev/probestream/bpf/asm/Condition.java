package dev.probestream.bpf.asm;

/**
 * What a conditional jump compares, 64 bits wide (linux/bpf.h, {@code BPF_JEQ} and its family). Without
 * {@code SIGNED_} in its name a comparison is unsigned.
 */
public enum Condition {
    /** Equal. */
    EQUAL(0x10, "=="),
    /** Not equal. */
    NOT_EQUAL(0x50, "!="),
    /** Greater, unsigned. */
    GREATER(0x20, ">"),
    /** Greater or equal, unsigned. */
    GREATER_OR_EQUAL(0x30, ">="),
    /** Less, unsigned. */
    LESS(0xa0, "<"),
    /** Less or equal, unsigned. */
    LESS_OR_EQUAL(0xb0, "<="),
    /** Greater, signed. */
    SIGNED_GREATER(0x60, "s>"),
    /** Greater or equal, signed. */
    SIGNED_GREATER_OR_EQUAL(0x70, "s>="),
    /** Less, signed. */
    SIGNED_LESS(0xc0, "s<"),
    /** Less or equal, signed. */
    SIGNED_LESS_OR_EQUAL(0xd0, "s<="),
    /** True when the two operands share a bit. */
    BITS_SET(0x40, "&");

    private final int opcodeBits;
    private final String sign;

    Condition(int opcodeBits, String sign) {
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
