package dev.probestream.bpf.internal;

import dev.probestream.bpf.sys.SyscallException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A file mapped into memory and shared with the kernel. Java makes a buffer only of memory that it has mapped itself, and it
 * cannot map the file of a BPF map. So an empty file of memory, of which no page is ever used, is mapped by Java, and the file
 * replaces it at the same addresses. The addresses are free again when no buffer of them is left; a buffer that is used after
 * this is closed reads zeros.
 */
public final class MappedMemory implements AutoCloseable {
    // mmap(2), asm-generic/mman-common.h
    private static final int PROT_READ = 1;
    private static final int PROT_WRITE = 2;
    private static final int PROT_EXEC = 4;
    private static final int MAP_SHARED = 1;
    private static final int MAP_PRIVATE = 2;
    private static final int MAP_FIXED = 0x10;
    private static final int MAP_ANONYMOUS = 0x20;
    private static final int MAP_NORESERVE = 0x4000; // asm-generic/mman.h

    private static final int MFD_CLOEXEC = 1; // linux/memfd.h

    private final ByteBuffer memory;
    private final String attempt;
    private final AtomicBoolean closed = new AtomicBoolean();

    private MappedMemory(ByteBuffer memory, String attempt) {
        this.memory = memory;
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
        ByteBuffer memory = addresses(sizeBytes, attempt);
        int protection = writable ? PROT_READ | PROT_WRITE : PROT_READ;
        replace(memory, protection, MAP_SHARED, fileDescriptor, offsetBytes, attempt);
        return new MappedMemory(writable ? memory : memory.asReadOnlyBuffer(), attempt);
    }

    /**
     * Maps the beginning of a file to be executed.
     *
     * @throws SyscallException when the call fails, for instance because a policy forbids it
     */
    public static MappedMemory mapExecutable(int fileDescriptor, int sizeBytes, String what) {
        String attempt = "map " + sizeBytes + " bytes of " + what + " to be executed";
        ByteBuffer memory = addresses(sizeBytes, attempt);
        replace(memory, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileDescriptor, 0, attempt);
        return new MappedMemory(memory.asReadOnlyBuffer(), attempt);
    }

    private static ByteBuffer addresses(int sizeBytes, String attempt) {
        long result = NativeMemory.ofString("probestream-map")
                .lend(name -> Syscalls.call(SystemCall.MEMFD_CREATE, name, MFD_CLOEXEC));
        try (FileDescriptor file = FileDescriptor.of(result, "create a file of memory to " + attempt, "");
                FileChannel channel =
                        FileChannel.open(file.path(), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return channel.map(FileChannel.MapMode.READ_WRITE, 0, sizeBytes);
        } catch (IOException e) {
            throw new UncheckedIOException(attempt + ": " + e.getMessage(), e);
        }
    }

    private static void replace(
            ByteBuffer memory, int protection, int flags, int fileDescriptor, long offsetBytes, String attempt) {
        long result = Syscalls.call(
                SystemCall.MMAP,
                JnrFfi.address(memory),
                memory.capacity(),
                protection,
                flags | MAP_FIXED,
                fileDescriptor,
                offsetBytes);
        Syscalls.check(result < 0 ? result : 0, attempt);
    }

    /** Where it is mapped; for a call of a function in it. */
    public long address() {
        return JnrFfi.address(memory);
    }

    /** The memory in the machine's byte order, from 0 to its size; read-only where the mapping is. */
    public ByteBuffer buffer() {
        if (closed.get()) {
            throw new IllegalStateException(attempt + ": was unmapped");
        }
        return memory.duplicate().order(ByteOrder.nativeOrder());
    }

    /** Replaces the file by private memory, of which no page is used before it is written; a second time does nothing. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
            replace(memory, PROT_READ | PROT_WRITE, flags, -1, 0, "un" + attempt);
        }
    }
}
