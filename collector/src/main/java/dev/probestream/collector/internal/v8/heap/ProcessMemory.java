package dev.probestream.collector.internal.v8.heap;

import dev.probestream.bpf.proc.ProcFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.LockSupport;

/**
 * The memory of a running process, /proc/PID/mem. The open file stands for the address space, not for the pid: when the
 * process has ended or executed another program, every read fails, also if its pid has been given to another process
 * (mem_open and mem_rw in fs/proc/base.c). It does not keep the memory alive. Access is checked when the file is opened:
 * PTRACE_MODE_ATTACH (ptrace(2)).
 */
public final class ProcessMemory implements TargetMemory, AutoCloseable {
    private static final long MOVE_NS = 1_000_000;

    private final FileChannel file;

    private ProcessMemory(FileChannel file) {
        this.file = file;
    }

    /**
     * The caller closes it.
     *
     * @throws IOException if the process has ended, or its memory may not be read
     */
    public static ProcessMemory open(int pid) throws IOException {
        return new ProcessMemory(FileChannel.open(ProcFile.of(pid, "mem"), StandardOpenOption.READ));
    }

    @Override
    public boolean read(long address, ByteBuffer into) {
        if (address < 0) {
            // The kernel's half of the address space.
            return false;
        }
        try {
            while (into.hasRemaining()) {
                // 0 bytes, which Java returns as -1: the address space is gone. EIO: nothing is mapped there.
                int count = file.read(into, address);
                if (count <= 0) {
                    return false;
                }
                address += count;
            }
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public void awaitMove() {
        LockSupport.parkNanos(MOVE_NS);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
