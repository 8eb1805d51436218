package dev.probestream.bpf.internal;

import dev.probestream.bpf.sys.SyscallException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;

/** Owns one open file descriptor of this process and closes it exactly once. */
public final class FileDescriptor implements AutoCloseable {
    // fcntl(2), asm-generic/fcntl.h
    private static final int AT_FDCWD = -100;
    private static final int O_RDONLY = 0;
    private static final int O_CLOEXEC = 0x80000;

    private final int number;
    private final AtomicBoolean closed = new AtomicBoolean();

    private FileDescriptor(int number) {
        this.number = number;
    }

    /**
     * Takes ownership of the descriptor that a system call returned.
     *
     * @param result of the call; negative for an error
     * @param attempt what was attempted, for the exception
     * @throws SyscallException when the call failed
     */
    public static FileDescriptor of(long result, String attempt, String advice) {
        return new FileDescriptor(Syscalls.check(result, attempt, advice));
    }

    /** Opens a file or folder for reading. */
    public static FileDescriptor open(Path path) {
        long result = NativeMemory.ofString(path.toString())
                .lend(name -> Syscalls.call(SystemCall.OPENAT, AT_FDCWD, name, O_RDONLY | O_CLOEXEC));
        return of(result, "open " + path, "");
    }

    /**
     * The number, for other system calls.
     *
     * @throws IllegalStateException after {@link #close}: the number may belong to another file by then
     */
    public int number() {
        if (closed.get()) {
            throw new IllegalStateException("file descriptor " + number + " was closed");
        }
        return number;
    }

    /** The file's path while it is open, also where it has no name in a folder. */
    public Path path() {
        return Path.of("/proc/self/fd/" + number());
    }

    /** Closes it; a second time does nothing. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            Syscalls.check(Syscalls.call(SystemCall.CLOSE, number, 0), "close file descriptor " + number);
        }
    }

    @Override
    public String toString() {
        return "fd " + number;
    }
}
