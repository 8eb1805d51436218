package dev.probestream.bpf.internal.syscall;

import dev.probestream.bpf.internal.FileDescriptor;
import dev.probestream.bpf.internal.NativeMemory;
import dev.probestream.bpf.internal.Syscalls;
import java.util.Arrays;

/**
 * BPF_LINK_CREATE for perf events and for uprobe_multi.
 *
 * <pre>
 * union bpf_attr of BPF_LINK_CREATE
 *   0  4  prog_fd
 *   4  4  target_fd                       of a perf event; 0 for uprobe_multi
 *   8  4  attach_type
 *  12  4  flags
 *  16  8  perf_event.bpf_cookie           uprobe_multi.path
 *  24  8                                  uprobe_multi.offsets
 *  32  8                                  uprobe_multi.ref_ctr_offsets
 *  40  8                                  uprobe_multi.cookies
 *  48  4                                  uprobe_multi.cnt
 *  52  4                                  uprobe_multi.flags
 *  56  4                                  uprobe_multi.pid
 * </pre>
 */
public final class LinkCreation {
    private static final int ATTR_BYTES = 64;
    private static final int BPF_F_UPROBE_MULTI_RETURN = 1;

    // linux/bpf.h, enum bpf_attach_type
    private static final int BPF_PERF_EVENT = 41;
    private static final int BPF_TRACE_UPROBE_MULTI = 48;

    private LinkCreation() {}

    /**
     * Attaches to a perf event, since 5.15; the result is a descriptor or minus an errno.
     *
     * @param program the number of its descriptor
     */
    public static long ofPerfEvent(int program, FileDescriptor perfEvent, long cookie) {
        return Syscalls.bpf(
                BpfSyscall.BPF_LINK_CREATE,
                attr(program, BPF_PERF_EVENT).putInt(4, perfEvent.number()).putLong(16, cookie));
    }

    /**
     * Attaches to all attach points of one file, or to none; since 6.6. The result is a descriptor or minus an errno.
     *
     * @param program the number of its descriptor
     * @param fileOffsets of the attach points, in bytes
     * @param refCtrOffsets of the semaphores, in bytes; 0 = the attach point has none
     * @param pid 0 = every process (the kernel's convention)
     */
    public static long ofUprobes(
            int program,
            String file,
            long[] fileOffsets,
            long[] refCtrOffsets,
            long[] cookies,
            boolean isReturn,
            int pid) {
        NativeMemory attr = attr(program, BPF_TRACE_UPROBE_MULTI)
                .putPointer(16, NativeMemory.ofString(file))
                .putPointer(24, NativeMemory.ofLongs(fileOffsets))
                .putPointer(40, NativeMemory.ofLongs(cookies))
                .putInt(48, fileOffsets.length)
                .putInt(52, isReturn ? BPF_F_UPROBE_MULTI_RETURN : 0)
                .putInt(56, pid);
        if (Arrays.stream(refCtrOffsets).anyMatch(offset -> offset != 0)) {
            attr.putPointer(32, NativeMemory.ofLongs(refCtrOffsets));
        }
        return Syscalls.bpf(BpfSyscall.BPF_LINK_CREATE, attr);
    }

    /**
     * With an invalid event: EBADF from a kernel that supports perf events here, EINVAL from one that does not.
     *
     * @param program the number of its descriptor
     */
    public static long ofNoPerfEvent(int program) {
        return Syscalls.bpf(
                BpfSyscall.BPF_LINK_CREATE, attr(program, BPF_PERF_EVENT).putInt(4, -1));
    }

    private static NativeMemory attr(int program, int attachType) {
        return NativeMemory.allocate(ATTR_BYTES).putInt(0, program).putInt(8, attachType);
    }
}
