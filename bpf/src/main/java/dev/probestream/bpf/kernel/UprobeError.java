package dev.probestream.bpf.kernel;

import dev.probestream.bpf.internal.syscall.BpfSyscall;
import dev.probestream.bpf.sys.Errno;
import dev.probestream.bpf.sys.SyscallException;

/** What a failure to attach a uprobe concerns, derived from its errno, and its message. */
enum UprobeError {
    /** Only this attach point; others in the file may be accepted. */
    ATTACH_POINT,
    /** Every attach point in this file; other files may be accepted. */
    FILE,
    /** The privileges, the process or a limit: every attach point fails. */
    EVERY_ATTACH_POINT;

    static UprobeError of(long result) {
        return switch (errno(result)) {
            case EPERM, EACCES, ESRCH, EMFILE, ENFILE, ENOMEM, ENOSYS -> EVERY_ATTACH_POINT;
            case ENOENT, ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG, EBADF -> FILE;
            default -> ATTACH_POINT;
        };
    }

    RefusedAttachPoint refused(long result, AttachPoint attachPoint, boolean isReturn, int pid) {
        return new RefusedAttachPoint(attachPoint, exception(result, attachPoint, isReturn, pid));
    }

    SyscallException exception(long result, AttachPoint attachPoint, boolean isReturn, int pid) {
        String scope = pid == Uprobes.EVERY_PROCESS ? "" : " in process " + pid;
        String attempt = "attach " + (isReturn ? "return probe" : "probe") + " at " + attachPoint + scope;
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
