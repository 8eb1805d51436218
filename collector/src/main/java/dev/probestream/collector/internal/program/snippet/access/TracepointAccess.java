package dev.probestream.collector.internal.program.snippet.access;

import static dev.probestream.bpf.asm.Register.R6;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.asm.Width;
import dev.probestream.bpf.tracefs.TracepointField;
import dev.probestream.collector.internal.program.snippet.ArgumentAccess;
import dev.probestream.collector.probe.ArgumentSpec;
import java.util.Objects;

/**
 * The fields of a tracepoint's record, which the context points to. Of text in place the address is given. Pointers of
 * the category syscalls are the process's, all others the kernel's.
 */
public final class TracepointAccess implements ArgumentAccess {
    private static final String SYSCALLS_CATEGORY = "syscalls";
    private static final int TEXT_OFFSET_MASK = 0xffff;

    private final Assembler assembler;
    private final TracepointArguments arguments;
    private final boolean isSyscall;

    public TracepointAccess(Assembler assembler, TracepointArguments arguments, String category) {
        this.assembler = assembler;
        this.arguments = arguments;
        this.isSyscall = category.equals(SYSCALLS_CATEGORY);
    }

    @Override
    public void load(Register destination, ArgumentSpec argument) {
        TracepointArguments.FieldLocation location = location(argument);
        switch (location.kind()) {
            case NUMBER, NUMBERS, POINTER -> number(destination, location);
            case CHARS -> assembler.mov(destination, R6).add(destination, location.offsetBytes());
            case TEXT_AT_OFFSET -> textOffset(destination, location).add(destination, R6);
            case TEXT_BEHIND_FIELD ->
                textOffset(destination, location)
                        .add(destination, location.offsetBytes() + Integer.BYTES)
                        .add(destination, R6);
            case OTHER ->
                throw new IllegalArgumentException("field " + argument.source().field() + " has no value");
        }
    }

    private Assembler textOffset(Register destination, TracepointArguments.FieldLocation location) {
        return assembler
                .load(Width.WORD, destination, R6, location.offsetBytes())
                .and(destination, TEXT_OFFSET_MASK);
    }

    private void number(Register destination, TracepointArguments.FieldLocation location) {
        Width width = switch (location.sizeBytes()) {
            case 1 -> Width.BYTE;
            case 2 -> Width.HALF;
            case 4 -> Width.WORD;
            default -> Width.DOUBLE_WORD;
        };
        assembler.load(width, destination, R6, location.offsetBytes());
        if (location.isSigned()) {
            assembler.signExtend(destination, width);
        }
    }

    @Override
    public Memory memory(ArgumentSpec argument) {
        boolean isPointer = location(argument).kind() == TracepointField.Kind.POINTER
                || location(argument).kind() == TracepointField.Kind.NUMBER;
        return isSyscall && isPointer ? Memory.USER : Memory.KERNEL;
    }

    private TracepointArguments.FieldLocation location(ArgumentSpec argument) {
        return Objects.requireNonNull(
                arguments.locations().get(argument.source().field()));
    }
}
