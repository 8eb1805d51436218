package dev.probestream.collector.internal.program.snippet;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.AddressSlot;
import dev.probestream.collector.internal.program.options.SocketOffsets;
import dev.probestream.collector.internal.program.snippet.ArgumentAccess.Memory;

/**
 * Emits the code that finds the address of one end of a socket of the running process in the kernel's memory, by the number
 * of the file descriptor.
 */
final class SocketCode {
    /** linux/stat.h */
    private static final int S_IFMT = 0xf000;

    private static final int S_IFSOCK = 0xc000;

    private final Assembler assembler;
    private final MemoryCode memory;
    private final SocketOffsets offsets;
    private final MemoryCode.Load fd;
    private final Label unreadable;
    /** The pointer that the way has come to. */
    private final int pointerSlot;
    /** A pointer or a number beside the way. */
    private final int asideSlot;

    /**
     * @param scratchSlot 16 bytes of the stack
     * @param fd loads the number of the file descriptor, zero-extended
     * @param unreadable where to go when it is no socket, or none that is connected
     */
    SocketCode(
            Assembler assembler,
            MemoryCode memory,
            SocketOffsets offsets,
            int scratchSlot,
            MemoryCode.Load fd,
            Label unreadable) {
        this.assembler = assembler;
        this.memory = memory;
        this.offsets = offsets;
        this.pointerSlot = scratchSlot;
        this.asideSlot = scratchSlot + Long.BYTES;
        this.fd = fd;
        this.unreadable = unreadable;
    }

    /** Reads the address to {@code base + offset} as {@link AddressSlot} draws it, or jumps. May lose R0 to R5. */
    void into(boolean isPeer, Register base, int offset) {
        findSock();
        Label unix = assembler.newLabel();
        Label inet6 = assembler.newLabel();
        Label done = assembler.newLabel();
        copy(offsets.family(), Short.BYTES, base, offset + AddressSlot.FAMILY_OFFSET);
        assembler.load(Width.HALF, R1, base, offset + AddressSlot.FAMILY_OFFSET);
        assembler.jumpIf(Condition.EQUAL, R1, AddressSlot.AF_UNIX, unix);
        if (offsets.inet6().isPresent()) {
            assembler.jumpIf(Condition.EQUAL, R1, AddressSlot.AF_INET6, inet6);
        }
        assembler.jumpIf(Condition.NOT_EQUAL, R1, AddressSlot.AF_INET, unreadable);
        internet(isPeer, offsets.inet(), AddressSlot.IPV4_BYTES, base, offset);
        assembler.jump(done);
        offsets.inet6().ifPresent(ends -> {
            assembler.bind(inet6);
            internet(isPeer, ends, AddressSlot.IPV6_BYTES, base, offset);
            assembler.jump(done);
        });
        assembler.bind(unix);
        unix(isPeer, base, offset, done);
        assembler.bind(done);
    }

    /** From the task over its table of files to the {@code struct sock}, to {@link #pointerSlot}. */
    private void findSock() {
        assembler.call(Helper.GET_CURRENT_TASK).store(Width.DOUBLE_WORD, R10, pointerSlot, R0);
        follow(offsets.taskFiles());
        follow(offsets.filesTable());
        copy(offsets.tableSize(), Integer.BYTES, R10, asideSlot);
        fd.into(R1);
        assembler.load(Width.WORD, R0, R10, asideSlot);
        assembler.jumpIf(Condition.GREATER_OR_EQUAL, R1, R0, unreadable);
        follow(offsets.tableFiles());
        fd.into(R1);
        assembler.shiftLeft(R1, 3).load(Width.DOUBLE_WORD, R0, R10, pointerSlot).add(R0, R1);
        assembler.store(Width.DOUBLE_WORD, R10, pointerSlot, R0);
        follow(0);
        rejectNoSocket();
        follow(offsets.filePrivate());
        follow(offsets.socketSock());
    }

    /** Of another file's private data nothing is known. A descriptor that is free has no file, whose reading fails. */
    private void rejectNoSocket() {
        copy(offsets.fileInode(), Long.BYTES, R10, asideSlot);
        memory.bytes(at(asideSlot, offsets.inodeMode()), Short.BYTES, Memory.KERNEL, R10, asideSlot, unreadable);
        assembler.load(Width.HALF, R1, R10, asideSlot).and(R1, S_IFMT);
        assembler.jumpIf(Condition.NOT_EQUAL, R1, S_IFSOCK, unreadable);
    }

    private void internet(boolean isPeer, SocketOffsets.Ends ends, int addressBytes, Register base, int offset) {
        int port = offset + AddressSlot.PORT_OFFSET;
        copy(isPeer ? offsets.peerPort() : offsets.ownPort(), Short.BYTES, R10, asideSlot);
        assembler.load(Width.HALF, R1, R10, asideSlot);
        if (isPeer) {
            assembler.jumpIf(Condition.EQUAL, R1, 0, unreadable); // not connected
            assembler.store(Width.HALF, base, port, R1);
        } else {
            assembler.store(Width.BYTE, base, port + 1, R1).shiftRight(R1, Byte.SIZE);
            assembler.store(Width.BYTE, base, port, R1);
        }
        copy(isPeer ? ends.peer() : ends.own(), addressBytes, base, offset + AddressSlot.ADDRESS_OFFSET);
    }

    /** The name that a socket is bound to, which few are: clients, and both ends of a pair, have none. */
    private void unix(boolean isPeer, Register base, int offset, Label done) {
        assembler.storeImmediate(Width.HALF, base, offset + AddressSlot.PATH_BYTES_OFFSET, 0);
        offsets.unix().ifPresent(unix -> {
            if (isPeer) {
                follow(unix.peer());
            }
            follow(unix.address());
            assembler.load(Width.DOUBLE_WORD, R1, R10, pointerSlot).jumpIf(Condition.EQUAL, R1, 0, done);
            copy(unix.length(), Integer.BYTES, R10, asideSlot);
            MemoryCode.Load pathBytes = this::pathBytes;
            memory.bytes(
                    at(pointerSlot, unix.name() + Short.BYTES),
                    pathBytes,
                    Memory.KERNEL,
                    base,
                    offset + AddressSlot.PATH_OFFSET,
                    unreadable);
            pathBytes.into(R1);
            assembler.store(Width.HALF, base, offset + AddressSlot.PATH_BYTES_OFFSET, R1);
        });
    }

    /** What the name has behind its family, as far as there is room; the verifier needs the bound each time. */
    private void pathBytes(Register destination) {
        Label fits = assembler.newLabel();
        int roomBytes = AddressSlot.SIZE_BYTES - AddressSlot.PATH_OFFSET;
        assembler.load(Width.WORD, destination, R10, asideSlot).sub(destination, Short.BYTES);
        assembler.jumpIf(Condition.LESS_OR_EQUAL, destination, roomBytes, fits);
        assembler.mov(destination, roomBytes);
        assembler.bind(fits);
    }

    /** Replaces the pointer by the one that lies so many bytes behind where it points. */
    private void follow(int fieldOffset) {
        copy(fieldOffset, Long.BYTES, R10, pointerSlot);
    }

    private void copy(int fieldOffset, int sizeBytes, Register base, int offset) {
        memory.bytes(at(pointerSlot, fieldOffset), sizeBytes, Memory.KERNEL, base, offset, unreadable);
    }

    private MemoryCode.Load at(int slot, int fieldOffset) {
        return MemoryCode.plus(
                assembler, destination -> assembler.load(Width.DOUBLE_WORD, destination, R10, slot), fieldOffset);
    }
}
