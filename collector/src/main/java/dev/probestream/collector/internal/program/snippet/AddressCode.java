package dev.probestream.collector.internal.program.snippet;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R4;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.AddressSlot;
import dev.probestream.collector.probe.ArgumentSource;
import dev.probestream.collector.probe.ArgumentSpec;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Emits the code that reads the address of a socket to {@code base + offset}, as {@link AddressSlot} draws it, or jumps
 * (src/main/bpf/sockets.bpf.c). May lose R0 to R5. A program that reads both ends of a descriptor's socket searches the socket
 * once.
 */
final class AddressCode {
    /** Of find_socket(); the others take less. */
    private static final int CALLED_STACK_BYTES = 64;

    private final Assembler assembler;
    private final ArgumentAccess access;
    private final PointerCode pointers;
    private final int maySleep;
    /** Where on the stack the socket of a descriptor stands, of which more than one end is read; 0 there = not found yet. */
    private final Map<Descriptor, Integer> sockets = new HashMap<>();

    /** The value that a file descriptor is. */
    private record Descriptor(
            ArgumentSource source, long addend, List<Long> dereferenceOffsetsBytes, boolean atReturn) {
        static Descriptor of(ArgumentSpec argument) {
            return new Descriptor(
                    argument.source(), argument.addend(), argument.dereferenceOffsetsBytes(), argument.atReturn());
        }
    }

    AddressCode(Assembler assembler, ArgumentAccess access, PointerCode pointers, boolean maySleep) {
        this.assembler = assembler;
        this.access = access;
        this.pointers = pointers;
        this.maySleep = maySleep ? 1 : 0;
    }

    /** Of the struct sockaddr that the argument points to. */
    void sockaddr(ArgumentSpec argument, Register base, int offset, Label unreadable) {
        pointers.address(argument, unreadable).into(R2);
        assembler.mov(R1, base).add(R1, offset);
        assembler
                .mov(R3, access.memory(argument) == ArgumentAccess.Memory.KERNEL ? 1 : 0)
                .mov(R4, maySleep);
        assembler.callFunction("read_sockaddr", CALLED_STACK_BYTES).jumpIf(Condition.NOT_EQUAL, R0, 0, unreadable);
    }

    /** Makes room for what these arguments share, at a place that every use comes behind. */
    void prepare(List<ArgumentSpec> arguments) {
        Set<Descriptor> seen = new HashSet<>();
        arguments.stream()
                .filter(argument -> argument.type().form().isSocketEnd())
                .map(Descriptor::of)
                .filter(descriptor -> !seen.add(descriptor))
                .forEach(descriptor -> sockets.computeIfAbsent(descriptor, unused -> {
                    int slot = assembler.stackSlot(Long.BYTES);
                    assembler.storeImmediate(Width.DOUBLE_WORD, R10, slot, 0);
                    return slot;
                }));
    }

    /** Of one end of the socket whose file descriptor the argument is. */
    void end(ArgumentSpec argument, boolean isPeer, Register base, int offset, Label unreadable) {
        Optional<Integer> kept = Optional.ofNullable(sockets.get(Descriptor.of(argument)));
        Label found = assembler.newLabel();
        kept.ifPresent(
                slot -> assembler.load(Width.DOUBLE_WORD, R0, R10, slot).jumpIf(Condition.NOT_EQUAL, R0, 0, found));
        int descriptorSlot = pointers.descriptor(argument, unreadable);
        assembler.load(Width.WORD, R1, R10, descriptorSlot);
        assembler.callFunction("find_socket", CALLED_STACK_BYTES).jumpIf(Condition.EQUAL, R0, 0, unreadable);
        kept.ifPresent(slot -> assembler.store(Width.DOUBLE_WORD, R10, slot, R0));
        assembler.bind(found);
        assembler.mov(R2, R0).mov(R1, base).add(R1, offset).mov(R3, isPeer ? 1 : 0);
        assembler.callFunction("read_socket_end", CALLED_STACK_BYTES).jumpIf(Condition.NOT_EQUAL, R0, 0, unreadable);
    }
}
