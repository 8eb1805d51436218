package dev.probestream.bpf.sys;

/**
 * The errors of system calls. Numbers and meanings are those of asm-generic/errno-base.h and asm-generic/errno.h, which
 * x86-64 and arm64 share.
 */
public enum Errno {
    EPERM(1, "Operation not permitted"),
    ENOENT(2, "No such file or directory"),
    ESRCH(3, "No such process"),
    EINTR(4, "Interrupted system call"),
    EIO(5, "Input/output error"),
    ENXIO(6, "No such device or address"),
    E2BIG(7, "Argument list too long"),
    EBADF(9, "Bad file descriptor"),
    ECHILD(10, "No child processes"),
    EAGAIN(11, "Resource temporarily unavailable"),
    ENOMEM(12, "Cannot allocate memory"),
    EACCES(13, "Permission denied"),
    EFAULT(14, "Bad address"),
    EBUSY(16, "Device or resource busy"),
    EEXIST(17, "File exists"),
    ENODEV(19, "No such device"),
    ENOTDIR(20, "Not a directory"),
    EISDIR(21, "Is a directory"),
    EINVAL(22, "Invalid argument"),
    ENFILE(23, "Too many open files in system"),
    EMFILE(24, "Too many open files"),
    ENOTTY(25, "Inappropriate ioctl for device"),
    ENOSPC(28, "No space left on device"),
    EROFS(30, "Read-only file system"),
    ERANGE(34, "Numerical result out of range"),
    ENAMETOOLONG(36, "File name too long"),
    ENOSYS(38, "Function not implemented"),
    ELOOP(40, "Too many levels of symbolic links"),
    EOVERFLOW(75, "Value too large for defined data type"),
    EOPNOTSUPP(95, "Operation not supported"),
    /** include/linux/errno.h: internal to the kernel, but uprobes return it. */
    ENOTSUPP(524, "Operation is not supported"),
    /** A number this table lacks; {@link SyscallException#errnoNumber} has it. */
    OTHER(0, "Unknown error");

    private final int number;
    private final String meaning;

    Errno(int number, String meaning) {
        this.number = number;
        this.meaning = meaning;
    }

    /** The errno with this number, or {@link #OTHER}. */
    public static Errno of(int number) {
        for (Errno errno : values()) {
            if (errno.number == number) {
                return errno;
            }
        }
        return OTHER;
    }

    public int number() {
        return number;
    }

    /** The text of strerror(3). */
    public String meaning() {
        return meaning;
    }

    /** Whether the raw result of a system call is this error: minus its number. */
    public boolean is(long result) {
        return result == -number && this != OTHER;
    }
}
