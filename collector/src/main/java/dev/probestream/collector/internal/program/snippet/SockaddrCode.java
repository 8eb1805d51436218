package dev.probestream.collector.internal.program.snippet;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.AddressSlot;
import dev.probestream.collector.internal.program.snippet.ArgumentAccess.Memory;

/**
 * Emits the code that reads a {@code struct sockaddr} of a process: no more of it than its family has, for what follows may
 * not be the process's at all. Offsets: linux/in.h, linux/in6.h, linux/un.h.
 */
final class SockaddrCode {
    private static final int PORT = 2;
    private static final int IPV4_ADDRESS = 4;
    private static final int IPV6_ADDRESS = 8;
    private static final int PATH = 2;

    private final Assembler assembler;
    private final MemoryCode memory;

    SockaddrCode(Assembler assembler, MemoryCode memory) {
        this.assembler = assembler;
        this.memory = memory;
    }

    /** Reads it to {@code base + offset} as {@link AddressSlot} draws it, or jumps. May lose R0 to R5. */
    void into(MemoryCode.Load address, Memory whose, Register base, int offset, Label unreadable) {
        Label inet = assembler.newLabel();
        Label inet6 = assembler.newLabel();
        Label done = assembler.newLabel();
        memory.bytes(address, Short.BYTES, whose, base, offset + AddressSlot.FAMILY_OFFSET, unreadable);
        assembler.load(Width.HALF, R1, base, offset + AddressSlot.FAMILY_OFFSET);
        assembler.jumpIf(Condition.EQUAL, R1, AddressSlot.AF_INET, inet);
        assembler.jumpIf(Condition.EQUAL, R1, AddressSlot.AF_INET6, inet6);
        assembler.jumpIf(Condition.NOT_EQUAL, R1, AddressSlot.AF_UNIX, unreadable);
        path(address, whose, base, offset, unreadable);
        assembler.jump(done);
        assembler.bind(inet6);
        copy(address, PORT, Short.BYTES, whose, base, offset + AddressSlot.PORT_OFFSET, unreadable);
        copy(
                address,
                IPV6_ADDRESS,
                AddressSlot.IPV6_BYTES,
                whose,
                base,
                offset + AddressSlot.ADDRESS_OFFSET,
                unreadable);
        assembler.jump(done);
        assembler.bind(inet);
        copy(address, PORT, Short.BYTES, whose, base, offset + AddressSlot.PORT_OFFSET, unreadable);
        copy(
                address,
                IPV4_ADDRESS,
                AddressSlot.IPV4_BYTES,
                whose,
                base,
                offset + AddressSlot.ADDRESS_OFFSET,
                unreadable);
        assembler.bind(done);
    }

    /** The first byte for itself: it may be the NUL that a name in the abstract namespace begins with. */
    private void path(MemoryCode.Load address, Memory whose, Register base, int offset, Label unreadable) {
        int path = offset + AddressSlot.PATH_OFFSET;
        copy(address, PATH, 1, whose, base, path, unreadable);
        int roomBytes = AddressSlot.SIZE_BYTES - AddressSlot.PATH_OFFSET - 1;
        memory.string(MemoryCode.plus(assembler, address, PATH + 1), roomBytes, whose, base, path + 1, unreadable);
        assembler.store(
                Width.HALF, base, offset + AddressSlot.PATH_BYTES_OFFSET, R0); // the first byte for the last NUL
    }

    private void copy(
            MemoryCode.Load address,
            int from,
            int sizeBytes,
            Memory whose,
            Register base,
            int offset,
            Label unreadable) {
        memory.bytes(MemoryCode.plus(assembler, address, from), sizeBytes, whose, base, offset, unreadable);
    }
}
