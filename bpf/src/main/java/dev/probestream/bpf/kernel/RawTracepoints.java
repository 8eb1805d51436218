package dev.probestream.bpf.kernel;

import dev.probestream.bpf.internal.FileDescriptor;
import dev.probestream.bpf.internal.NativeMemory;
import dev.probestream.bpf.internal.Syscalls;
import dev.probestream.bpf.internal.syscall.BpfSyscall;
import dev.probestream.bpf.sys.Errno;

/**
 * Attaches programs to the kernel's raw tracepoints.
 *
 * <pre>
 * union bpf_attr of BPF_RAW_TRACEPOINT_OPEN
 *   0  8  name       null for a program that names its tracepoint by attach_btf_id
 *   8  4  prog_fd
 * </pre>
 */
public final class RawTracepoints {
    private static final int ATTR_BYTES = 16;

    private RawTracepoints() {}

    /**
     * Attaches a program of type {@link ProgramType#RAW_TRACEPOINT}, or of type {@link ProgramType#TRACING} with the
     * attach type {@link AttachType#TRACE_RAW_TP}. It runs for every process on every CPU.
     *
     * @param program a loaded program; it stays the caller's
     * @param name such as {@code sched_switch}, without its category
     * @return the attachment; closing it detaches the program
     * @throws dev.probestream.bpf.sys.SyscallException when the kernel refuses
     */
    public static Link attach(BpfProgram program, String name) {
        NativeMemory attr = NativeMemory.allocate(ATTR_BYTES).putInt(8, program.descriptorNumber());
        if (program.spec().type() != ProgramType.TRACING) {
            attr.putPointer(0, NativeMemory.ofString(name));
        }
        long result = Syscalls.bpf(BpfSyscall.BPF_RAW_TRACEPOINT_OPEN, attr);
        return FileDescriptor.of(result, "attach " + program + " to raw tracepoint " + name, advice(result))::close;
    }

    private static String advice(long result) {
        if (Errno.ENOENT.is(result)) {
            return "this kernel has no such tracepoint: see the folders under /sys/kernel/tracing/events";
        }
        if (Errno.EINVAL.is(result)) {
            return "the program reads arguments that the tracepoint does not have, or is of another type";
        }
        return BpfSyscall.advice(result);
    }
}
