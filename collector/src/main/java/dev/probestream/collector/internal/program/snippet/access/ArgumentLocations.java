package dev.probestream.collector.internal.program.snippet.access;

import dev.probestream.bpf.asm.RegisterTable;
import dev.probestream.collector.internal.resolve.code.CallingConvention;
import java.util.List;
import java.util.OptionalInt;

/**
 * Where the arguments of a function are at its first instruction: in registers or, behind the return address, on the
 * stack. Of Go an argument is a word: a string is two.
 *
 * <p>Sources: System V AMD64 ABI 3.2.3, AAPCS64 6.8.2; Go's src/cmd/compile/abi-internal.md (register sequences) and
 * src/cmd/internal/obj/{x86,arm64} (ABI0: the first word lies 8 bytes above the stack pointer on both).
 */
public final class ArgumentLocations {
    private static final List<String> GO_X86_64 = List.of("rax", "rbx", "rcx", "rdi", "rsi", "r8", "r9", "r10", "r11");
    private static final List<String> GO_AARCH64 = List.of(
            "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15");

    private final RegisterTable registers;
    private final CallingConvention convention;

    public ArgumentLocations(RegisterTable registers, CallingConvention convention) {
        this.registers = registers;
        this.convention = convention;
    }

    /** How many arguments are in registers. */
    public int registerCount() {
        return switch (convention) {
            case C -> registers.argumentCount();
            case GO_REGISTERS -> goRegisters().size();
            case GO_STACK -> 0;
        };
    }

    /** Whether the argument's place follows from its number. */
    public boolean isKnown(int number) {
        return convention != CallingConvention.GO_REGISTERS || number <= registerCount();
    }

    /** Where in pt_regs the argument is; empty when it is on the stack. */
    OptionalInt registerOffset(int number) {
        if (number > registerCount()) {
            return OptionalInt.empty();
        }
        return convention == CallingConvention.C
                ? OptionalInt.of(registers.argumentOffset(number))
                : registers.namedOffset(goRegisters().get(number - 1));
    }

    /** How many bytes above the stack pointer an argument that is in no register lies. */
    int stackOffsetBytes(int number) {
        int linkBytes = convention == CallingConvention.C ? registers.stackPointerRiseOnReturnBytes() : Long.BYTES;
        return linkBytes + (number - registerCount() - 1) * Long.BYTES;
    }

    private List<String> goRegisters() {
        return switch (registers) {
            case X86_64 -> GO_X86_64;
            case AARCH64 -> GO_AARCH64;
        };
    }
}
