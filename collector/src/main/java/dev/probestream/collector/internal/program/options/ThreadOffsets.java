package dev.probestream.collector.internal.program.options;

import dev.probestream.bpf.btf.BtfFile;
import dev.probestream.bpf.btf.BtfFormatException;
import dev.probestream.bpf.btf.FieldPath;
import dev.probestream.bpf.btf.UnknownFieldException;

/**
 * Where the running kernel's {@code struct task_struct} has what leads to the async context of a thread, in bytes; from
 * BTF, on x86-64 only.
 *
 * @param pointer the thread pointer of user mode (fs_base)
 * @param startTime u64, when the thread started, in ns
 * @param execId u64, another one after each execve
 * @param areLoopsSupported whether programs can follow promises, which takes the kernel's loops
 */
public record ThreadOffsets(int pointer, int startTime, int execId, boolean areLoopsSupported) {
    /**
     * Reads the offsets out of a kernel's BTF.
     *
     * @throws UnknownFieldException when the kernel has no such field, as on other machines
     */
    public static ThreadOffsets of(BtfFile btf, boolean areLoopsSupported)
            throws BtfFormatException, UnknownFieldException {
        return new ThreadOffsets(
                offset(btf, "task_struct.thread.fsbase"),
                offset(btf, "task_struct.start_time"),
                offset(btf, "task_struct.self_exec_id"),
                areLoopsSupported);
    }

    private static int offset(BtfFile btf, String path) throws BtfFormatException, UnknownFieldException {
        return Math.toIntExact(FieldPath.resolve(btf, path).offsetBytes());
    }
}
