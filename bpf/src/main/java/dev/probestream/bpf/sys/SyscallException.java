package dev.probestream.bpf.sys;

/** The kernel refused a system call: what was tried, on what, what the kernel said and what to do about it. */
public final class SyscallException extends RuntimeException {
    private final Errno errno;
    private final int errnoNumber;

    /**
     * @param attempt what was tried and on what, such as {@code create map events}
     * @param errnoNumber positive
     * @param advice what the caller knows about the reason or can be done; empty = the errno's own meaning
     */
    public SyscallException(String attempt, int errnoNumber, String advice) {
        super(attempt + ": " + name(errnoNumber) + " ("
                + (advice.isEmpty() ? Errno.of(errnoNumber).meaning() : advice) + ")");
        this.errno = Errno.of(errnoNumber);
        this.errnoNumber = errnoNumber;
    }

    public Errno errno() {
        return errno;
    }

    /** The kernel's own number, also where {@link #errno} is {@link Errno#OTHER}. */
    public int errnoNumber() {
        return errnoNumber;
    }

    private static String name(int errnoNumber) {
        Errno errno = Errno.of(errnoNumber);
        return errno == Errno.OTHER ? "errno " + errnoNumber : errno.name();
    }
}
