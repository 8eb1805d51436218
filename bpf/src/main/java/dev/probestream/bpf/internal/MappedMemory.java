package dev.probestream.bpf.internal;

import com.kenai.jffi.MemoryIO;
import dev.probestream.bpf.sys.SyscallException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A file mapped into memory and shared with the kernel. Its buffers must not be used after it is closed: reading an
 * unmapped address ends the JVM.
 */
public final class MappedMemory implements AutoCloseable {
    // mmap(2), asm-generic/mman-common.h
    private static final int PROT_READ = 1;
    private static final int PROT_WRITE = 2;
    private static final int PROT_EXEC = 4;
    private static final int MAP_SHARED = 1;
    private static final int MAP_PRIVATE = 2;

    private final long address;
    private final int sizeBytes;
    private final String attempt;
    private final AtomicBoolean closed = new AtomicBoolean();

    private MappedMemory(long address, int sizeBytes, String attempt) {
        this.address = address;
        this.sizeBytes = sizeBytes;
        this.attempt = attempt;
    }

    /**
     * Maps part of a file.
     *
     * @param fileDescriptor may be closed afterwards
     * @param offsetBytes in the file, a multiple of the page size
     * @throws SyscallException when the call fails
     */
    public static MappedMemory map(int fileDescriptor, long offsetBytes, int sizeBytes, boolean writable, String what) {
        String attempt = "map " + sizeBytes + " bytes at " + offsetBytes + " of " + what;
        int protection = writable ? PROT_READ | PROT_WRITE : PROT_READ;
        long result = Syscalls.call(SystemCall.MMAP, 0, sizeBytes, protection, MAP_SHARED, fileDescriptor, offsetBytes);
        if (result < 0) {
            throw new SyscallException(attempt, (int) -result, "");
        }
        return new MappedMemory(result, sizeBytes, attempt);
    }

    /**
     * Maps the beginning of a file to be executed.
     *
     * @throws SyscallException when the call fails, for instance because a policy forbids it
     */
    public static MappedMemory mapExecutable(int fileDescriptor, int sizeBytes, String what) {
        String attempt = "map " + sizeBytes + " bytes of " + what + " to be executed";
        long result =
                Syscalls.call(SystemCall.MMAP, 0, sizeBytes, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileDescriptor, 0);
        Syscalls.check(result < 0 ? result : 0, attempt);
        return new MappedMemory(result, sizeBytes, attempt);
    }

    /** Where it is mapped; for a call of a function in it. */
    public long address() {
        return address;
    }

    /** The memory in the machine's byte order, from 0 to its size; writing to a read-only mapping ends the JVM. */
    public ByteBuffer buffer() {
        if (closed.get()) {
            throw new IllegalStateException(attempt + ": was unmapped");
        }
        return MemoryIO.getInstance().newDirectByteBuffer(address, sizeBytes).order(ByteOrder.nativeOrder());
    }

    /** Unmaps the memory; a second time does nothing. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            Syscalls.check(Syscalls.call(SystemCall.MUNMAP, address, sizeBytes), "un" + attempt);
        }
    }
}
