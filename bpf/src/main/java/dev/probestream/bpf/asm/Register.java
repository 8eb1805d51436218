package dev.probestream.bpf.asm;

/**
 * A register of the BPF machine (linux/bpf.h, {@code BPF_REG_0} to {@code BPF_REG_10}); 64 bits each.
 *
 * <p>R0 carries results, R1 to R5 the arguments of a call (a call destroys them), R6 to R9 survive calls, and R10 is
 * the read-only frame pointer: the stack lies below it.
 */
public enum Register {
    /** Results of calls and of the program. */
    R0(0),
    /** First argument; the context when the program begins. */
    R1(1),
    /** Second argument. */
    R2(2),
    /** Third argument. */
    R3(3),
    /** Fourth argument. */
    R4(4),
    /** Fifth argument. */
    R5(5),
    /** Kept by calls. */
    R6(6),
    /** Kept by calls. */
    R7(7),
    /** Kept by calls. */
    R8(8),
    /** Kept by calls. */
    R9(9),
    /** The frame pointer, which cannot be written. */
    R10(10);

    private final int code;

    Register(int code) {
        this.code = code;
    }

    /** {@return the four bits that stand for this register in an instruction} */
    public int code() {
        return code;
    }
}
