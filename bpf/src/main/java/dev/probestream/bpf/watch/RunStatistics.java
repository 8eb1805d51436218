package dev.probestream.bpf.watch;

import dev.probestream.bpf.internal.FileDescriptor;
import dev.probestream.bpf.internal.NativeMemory;
import dev.probestream.bpf.internal.Syscalls;
import dev.probestream.bpf.internal.syscall.BpfSyscall;

/**
 * While open, the kernel counts and times the runs of every BPF program of the machine (since 5.8), which adds two
 * clock readings to each run. See {@link dev.probestream.bpf.kernel.BpfProgram#runs}.
 */
public final class RunStatistics implements AutoCloseable {
    private static final int ATTR_BYTES = 4;
    private static final int BPF_STATS_RUN_TIME = 0;

    private final FileDescriptor descriptor;

    private RunStatistics(FileDescriptor descriptor) {
        this.descriptor = descriptor;
    }

    /**
     * Begins to count how often programs run and how long (kernel.bpf_stats_enabled).
     *
     * @return ends it when it is closed
     */
    public static RunStatistics open() {
        NativeMemory attr = NativeMemory.allocate(ATTR_BYTES).putInt(0, BPF_STATS_RUN_TIME);
        long result = Syscalls.bpf(BpfSyscall.BPF_ENABLE_STATS, attr);
        return new RunStatistics(
                FileDescriptor.of(result, "count the runs of programs in the kernel", BpfSyscall.advice(result)));
    }

    @Override
    public void close() {
        descriptor.close();
    }
}
