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
import dev.probestream.collector.probe.ArgumentSpec;

/**
 * Emits the code that reads the address of a socket to {@code base + offset}, as {@link AddressSlot} draws it, or jumps
 * (src/main/bpf/sockets.bpf.c). May lose R0 to R5.
 */
final class AddressCode {
    private static final int CALLED_STACK_BYTES = 64;

    private final Assembler assembler;
    private final ArgumentAccess access;
    private final PointerCode pointers;
    private final int maySleep;

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

    /** Of one end of the socket whose file descriptor the argument is. */
    void end(ArgumentSpec argument, boolean isPeer, Register base, int offset, Label unreadable) {
        int descriptorSlot = pointers.descriptor(argument, unreadable);
        assembler.mov(R1, base).add(R1, offset);
        assembler.load(Width.WORD, R2, R10, descriptorSlot).mov(R3, isPeer ? 1 : 0);
        assembler.callFunction("read_socket_end", CALLED_STACK_BYTES).jumpIf(Condition.NOT_EQUAL, R0, 0, unreadable);
    }
}
