package dev.probestream.bpf.sys;

/**
 * The errors of system calls. Numbers and meanings are those of asm-generic/errno-base.h and asm-generic/errno.h, which
 * x86-64 and arm64 share.
 */
public enum Errno {
    /** Operation not permitted. */
    EPERM(1, "Operation not permitted"),
    /** No such file or directory. */
    ENOENT(2, "No such file or directory"),
    /** No such process. */
    ESRCH(3, "No such process"),
    /** Interrupted system call. */
    EINTR(4, "Interrupted system call"),
    /** Input/output error. */
    EIO(5, "Input/output error"),
    /** No such device or address. */
    ENXIO(6, "No such device or address"),
    /** Argument list too long. */
    E2BIG(7, "Argument list too long"),
    /** Bad file descriptor. */
    EBADF(9, "Bad file descriptor"),
    /** No child processes. */
    ECHILD(10, "No child processes"),
    /** Resource temporarily unavailable. */
    EAGAIN(11, "Resource temporarily unavailable"),
    /** Cannot allocate memory. */
    ENOMEM(12, "Cannot allocate memory"),
    /** Permission denied. */
    EACCES(13, "Permission denied"),
    /** Bad address. */
    EFAULT(14, "Bad address"),
    /** Device or resource busy. */
    EBUSY(16, "Device or resource busy"),
    /** File exists. */
    EEXIST(17, "File exists"),
    /** No such device. */
    ENODEV(19, "No such device"),
    /** Not a directory. */
    ENOTDIR(20, "Not a directory"),
    /** Is a directory. */
    EISDIR(21, "Is a directory"),
    /** Invalid argument. */
    EINVAL(22, "Invalid argument"),
    /** Too many open files in system. */
    ENFILE(23, "Too many open files in system"),
    /** Too many open files. */
    EMFILE(24, "Too many open files"),
    /** Inappropriate ioctl for device. */
    ENOTTY(25, "Inappropriate ioctl for device"),
    /** No space left on device. */
    ENOSPC(28, "No space left on device"),
    /** Read-only file system. */
    EROFS(30, "Read-only file system"),
    /** Numerical result out of range. */
    ERANGE(34, "Numerical result out of range"),
    /** File name too long. */
    ENAMETOOLONG(36, "File name too long"),
    /** Function not implemented. */
    ENOSYS(38, "Function not implemented"),
    /** Too many levels of symbolic links. */
    ELOOP(40, "Too many levels of symbolic links"),
    /** Value too large for defined data type. */
    EOVERFLOW(75, "Value too large for defined data type"),
    /** Operation not supported. */
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

    /**
     * {@return the errno with this number, or {@link #OTHER}}
     *
     * @param number of errno.h
     */
    public static Errno of(int number) {
        for (Errno errno : values()) {
            if (errno.number == number) {
                return errno;
            }
        }
        return OTHER;
    }

    /** {@return the number of errno.h} */
    public int number() {
        return number;
    }

    /** {@return the text of strerror(3)} */
    public String meaning() {
        return meaning;
    }

    /**
     * {@return whether the raw result of a system call is this error: minus its number}
     *
     * @param result what the system call returned
     */
    public boolean is(long result) {
        return result == -number && this != OTHER;
    }
}
