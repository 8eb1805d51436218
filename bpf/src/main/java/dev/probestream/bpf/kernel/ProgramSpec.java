package dev.probestream.bpf.kernel;

import dev.probestream.bpf.asm.Instruction;
import java.util.List;
import java.util.Objects;

/**
 * Describes a program that is not loaded yet. Uprobe programs must be loaded with the attach type of their attach
 * method; {@link #uprobe} sets it.
 *
 * @param name the name in errors; the kernel shows its first 15 characters
 * @param type what it is attached to
 * @param expectedAttachType passed to the kernel when the program is loaded
 * @param flags {@code BPF_F_} flags of bpf(2), such as {@link #BPF_F_SLEEPABLE}
 * @param attachBtfId for TRACING programs the BTF id of the attach point ({@code btf_trace_NAME}), else 0
 * @param instructions with maps by name
 * @param compiled what a compiler recorded about the instructions; {@link CompiledCode#NONE} for assembled ones
 */
public record ProgramSpec(
        String name,
        ProgramType type,
        AttachType expectedAttachType,
        int flags,
        int attachBtfId,
        List<Instruction> instructions,
        CompiledCode compiled) {
    /** The program may sleep, so it may read user memory that is not resident (linux/bpf.h). Uprobes: since 6.0. */
    public static final int BPF_F_SLEEPABLE = 1 << 4;

    public ProgramSpec {
        Objects.requireNonNull(type);
        Objects.requireNonNull(expectedAttachType);
        instructions = List.copyOf(instructions);
        if (name.isEmpty()) {
            throw new IllegalArgumentException("a program needs a name");
        }
        if (instructions.isEmpty()) {
            throw new IllegalArgumentException("program " + name + " has no instructions");
        }
    }

    /**
     * Describes an assembled program.
     *
     * @param name the name in errors
     * @param type what it is attached to
     * @param expectedAttachType passed to the kernel when the program is loaded
     * @param flags {@code BPF_F_} flags of bpf(2)
     * @param attachBtfId for TRACING programs the BTF id of the attach point, else 0
     * @param instructions with maps by name
     */
    public ProgramSpec(
            String name,
            ProgramType type,
            AttachType expectedAttachType,
            int flags,
            int attachBtfId,
            List<Instruction> instructions) {
        this(name, type, expectedAttachType, flags, attachBtfId, instructions, CompiledCode.NONE);
    }

    /**
     * {@return a program for uprobes that will be attached by this method}
     *
     * @param name its name
     * @param method how they will be attached
     * @param instructions the assembled program
     */
    public static ProgramSpec uprobe(String name, UprobeAttachMethod method, List<Instruction> instructions) {
        return new ProgramSpec(name, ProgramType.KPROBE, method.attachType(), 0, 0, instructions);
    }

    /** {@return the instructions with which its own functions begin, itself first; those that it is to be linked with left out} */
    public List<Integer> functionStarts() {
        List<Integer> starts = FunctionTypes.starts(instructions);
        return starts.isEmpty() ? List.of(0) : starts;
    }

    /** {@return whether the program may read memory that is not resident} */
    public boolean isSleepable() {
        return (flags & BPF_F_SLEEPABLE) != 0;
    }

    /**
     * {@return the same program with other instructions}
     *
     * @param other the other one
     */
    public ProgramSpec withInstructions(List<Instruction> other) {
        return new ProgramSpec(name, type, expectedAttachType, flags, attachBtfId, other, compiled);
    }

    /**
     * {@return the same program with functions of an object behind it}
     *
     * @param linked its instructions and theirs
     * @param records what is known of all of them
     */
    public ProgramSpec linked(List<Instruction> linked, CompiledCode records) {
        return new ProgramSpec(name, type, expectedAttachType, flags, attachBtfId, linked, records);
    }
}
