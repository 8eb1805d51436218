package dev.probestream.bpf.asm;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Offsets of the CPU's registers in {@code struct pt_regs}: the context of a uprobe program, and an argument of the raw
 * tracepoints sys_enter and sys_exit. All offsets are in bytes; every register is 8 bytes.
 *
 * <p>Sources: arch/x86/include/asm/ptrace.h with the System V ABI (functions take rdi, rsi, rdx, rcx, r8, r9; system
 * calls r10 instead of rcx), arch/arm64/include/asm/ptrace.h with AAPCS64 (x0 to x7; system calls x0 to x5).
 */
public enum RegisterTable {
    /** 64-bit x86. The return address of a function lies at the stack pointer on entry. */
    X86_64(
            new int[] {112, 104, 96, 88, 72, 64},
            new int[] {112, 104, 96, 56, 72, 64},
            /* di */ 112,
            /* orig_ax */ 120,
            /* ax */ 80,
            /* bp */ 32,
            /* sp */ 152,
            /* ip */ 128,
            /* popped by ret */ 8,
            List.of(
                    "r15", "r14", "r13", "r12", "rbp", "rbx", "r11", "r10", "r9", "r8", "rax", "rcx", "rdx", "rsi",
                    "rdi", "rip", "rsp"),
            new int[] {0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 128, 152}),
    /** 64-bit Arm. x0 turns into the result of a system call: its first argument is in orig_x0 then. */
    AARCH64(
            new int[] {0, 8, 16, 24, 32, 40, 48, 56},
            new int[] {0, 8, 16, 24, 32, 40},
            /* orig_x0 */ 272,
            /* syscallno */ 280,
            /* x0 */ 0,
            /* x29 */ 232,
            /* sp */ 248,
            /* pc */ 256,
            0,
            Stream.concat(IntStream.rangeClosed(0, 30).mapToObj(number -> "x" + number), Stream.of("sp", "pc"))
                    .toList(),
            IntStream.rangeClosed(0, 32).map(index -> index * Long.BYTES).toArray());

    @SuppressWarnings("ImmutableEnumChecker") // never written, never handed out
    private final int[] argumentOffsets;

    @SuppressWarnings("ImmutableEnumChecker") // never written, never handed out
    private final int[] systemCallArgumentOffsets;

    private final int firstSystemCallArgumentOffsetAtReturn;
    private final int systemCallNumberOffset;
    private final int returnValueOffset;
    private final int framePointerOffset;
    private final int stackPointerOffset;
    private final int instructionPointerOffset;
    private final int stackPointerRiseOnReturnBytes;

    @SuppressWarnings("ImmutableEnumChecker") // an immutable list
    private final List<String> names;

    @SuppressWarnings("ImmutableEnumChecker") // never written, never handed out
    private final int[] nameOffsets;

    RegisterTable(
            int[] argumentOffsets,
            int[] systemCallArgumentOffsets,
            int firstSystemCallArgumentOffsetAtReturn,
            int systemCallNumberOffset,
            int returnValueOffset,
            int framePointerOffset,
            int stackPointerOffset,
            int instructionPointerOffset,
            int stackPointerRiseOnReturnBytes,
            List<String> names,
            int[] nameOffsets) {
        this.argumentOffsets = argumentOffsets;
        this.systemCallArgumentOffsets = systemCallArgumentOffsets;
        this.firstSystemCallArgumentOffsetAtReturn = firstSystemCallArgumentOffsetAtReturn;
        this.systemCallNumberOffset = systemCallNumberOffset;
        this.returnValueOffset = returnValueOffset;
        this.framePointerOffset = framePointerOffset;
        this.stackPointerOffset = stackPointerOffset;
        this.instructionPointerOffset = instructionPointerOffset;
        this.stackPointerRiseOnReturnBytes = stackPointerRiseOnReturnBytes;
        this.names = names;
        this.nameOffsets = nameOffsets;
    }

    /**
     * {@return the table for Java's os.arch ({@code amd64}, {@code x86_64}, {@code aarch64}), or empty for other
     * machines}
     *
     * @param osArch the system property
     */
    public static Optional<RegisterTable> ofJavaArchitecture(String osArch) {
        return switch (osArch.toLowerCase(Locale.ROOT)) {
            case "amd64", "x86_64" -> Optional.of(X86_64);
            case "aarch64", "arm64" -> Optional.of(AARCH64);
            default -> Optional.empty();
        };
    }

    /** {@return how many integer or pointer arguments a function gets in registers} */
    public int argumentCount() {
        return argumentOffsets.length;
    }

    /**
     * {@return the offset of argument {@code number} of a C function at its entry}
     *
     * @param number counts from 1, up to {@link #argumentCount}
     * @throws IllegalArgumentException for an argument that is not passed in a register
     */
    public int argumentOffset(int number) {
        return pick(argumentOffsets, number, "function");
    }

    /**
     * {@return the offset of the register with this name, which is that of the whole register: {@code rax}, {@code
     * r10}, {@code rip}; {@code x0} to {@code x30}, {@code sp}, {@code pc}} Empty for any other (a floating-point
     * register, a part of one).
     *
     * @param register its name as in an assembler
     */
    public OptionalInt namedOffset(String register) {
        int index = names.indexOf(register);
        return index < 0 ? OptionalInt.empty() : OptionalInt.of(nameOffsets[index]);
    }

    /**
     * {@return the offset of argument {@code number} of a system call at its entry}
     *
     * @param number counts from 1, up to 6
     */
    public int systemCallArgumentOffset(int number) {
        return pick(systemCallArgumentOffsets, number, "system call");
    }

    /**
     * {@return the offset of argument {@code number} of a system call at its return}
     *
     * @param number counts from 1, up to 6
     */
    public int systemCallArgumentOffsetAtReturn(int number) {
        return number == 1 ? firstSystemCallArgumentOffsetAtReturn : systemCallArgumentOffset(number);
    }

    /** {@return the offset of the number of a system call, of which the lower 4 bytes are looked at; at its return, too} */
    public int systemCallNumberOffset() {
        return systemCallNumberOffset;
    }

    /** {@return the offset of the integer result of a function or system call at its return} */
    public int returnValueOffset() {
        return returnValueOffset;
    }

    /** {@return the offset of the frame pointer in struct pt_regs, in bytes} */
    public int framePointerOffset() {
        return framePointerOffset;
    }

    /** {@return the offset of the stack pointer in struct pt_regs, in bytes} */
    public int stackPointerOffset() {
        return stackPointerOffset;
    }

    /** {@return the offset of the instruction pointer in struct pt_regs, in bytes} */
    public int instructionPointerOffset() {
        return instructionPointerOffset;
    }

    /**
     * {@return how much higher the stack pointer is after a function returned than at its first instruction} It
     * matches a call's return to its entry: exit's stack pointer = entry's + this.
     */
    public int stackPointerRiseOnReturnBytes() {
        return stackPointerRiseOnReturnBytes;
    }

    private int pick(int[] offsets, int number, String callee) {
        if (number < 1 || number > offsets.length) {
            throw new IllegalArgumentException("argument " + number + " of a " + callee + " is not in a register on "
                    + this + ": only 1 to " + offsets.length + " are");
        }
        return offsets[number - 1];
    }
}
