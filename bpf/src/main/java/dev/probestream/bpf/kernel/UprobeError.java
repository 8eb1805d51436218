package dev.probestream.bpf.kernel;

import dev.probestream.bpf.sys.Errno;
import dev.probestream.bpf.sys.SyscallException;

/** What the kernel's refusal of a uprobe is about, told by its errno, and the words for it. */
enum UprobeError {
    /** This instruction; others of the file may do. */
    ATTACH_POINT,
    /** This file; other files may do. */
    FILE,
    /** Us, the process or the machine's limits: no other site would do. */
    EVERY_ATTACH_POINT;

    static UprobeError of(long result) {
        return switch (errno(result)) {
            case EPERM, EACCES, ESRCH, EMFILE, ENFILE, ENOMEM, ENOSYS -> EVERY_ATTACH_POINT;
            case ENOENT, ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG, EBADF -> FILE;
            default -> ATTACH_POINT;
        };
    }

    RefusedAttachPoint refused(long result, AttachPoint site, boolean isReturn, int pid) {
        return new RefusedAttachPoint(site, exception(result, site, isReturn, pid));
    }

    SyscallException exception(long result, AttachPoint site, boolean isReturn, int pid) {
        String scope = pid == Uprobes.EVERY_PROCESS ? "" : " in process " + pid;
        String attempt = "attach " + (isReturn ? "return probe" : "probe") + " at " + site + scope;
        return new SyscallException(attempt, (int) -result, advice(result, pid));
    }

    private static String advice(long result, int pid) {
        return switch (errno(result)) {
            case ESRCH -> "process " + pid + " does not exist any more";
            case EBADF -> "not a regular file";
            case EINVAL -> "no instruction that can be probed begins at this offset of the file";
            case EOPNOTSUPP, ENOTSUPP -> "the kernel cannot probe this instruction";
            case EIO -> "the instruction could not be read from the file";
            case EOVERFLOW -> "perf events take semaphores in the first 4 GiB of a file only";
            default -> BpfSyscall.advice(result);
        };
    }

    private static Errno errno(long result) {
        return Errno.of((int) -result);
    }
}
