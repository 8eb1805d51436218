package dev.probestream.bpf.asm;

/**
 * A register of the BPF machine (linux/bpf.h, {@code BPF_REG_0} to {@code BPF_REG_10}); 64 bits each.
 *
 * <p>R0 carries results, R1 to R5 the arguments of a call (a call destroys them), R6 to R9 survive calls, and R10 is
 * the read-only frame pointer: the stack lies below it.
 */
public enum Register {
    R0(0),
    R1(1),
    R2(2),
    R3(3),
    R4(4),
    R5(5),
    R6(6),
    R7(7),
    R8(8),
    R9(9),
    R10(10);

    private final int code;

    Register(int code) {
        this.code = code;
    }

    /** The four bits that stand for this register in an instruction. */
    public int code() {
        return code;
    }
}
