package dev.probestream.bpf.sys;

/** A system call failed. The message has what was attempted, the error, and advice. */
public final class SyscallException extends RuntimeException {
    private final Errno errno;
    private final int errnoNumber;

    /**
     * Creates the exception.
     *
     * @param attempt what was attempted, such as {@code create map events}
     * @param errnoNumber positive
     * @param advice the reason or the remedy, if known; empty = the text of the errno
     */
    public SyscallException(String attempt, int errnoNumber, String advice) {
        super(attempt + ": " + name(errnoNumber) + " ("
                + (advice.isEmpty() ? Errno.of(errnoNumber).meaning() : advice) + ")");
        this.errno = Errno.of(errnoNumber);
        this.errnoNumber = errnoNumber;
    }

    /** {@return what the kernel answered} */
    public Errno errno() {
        return errno;
    }

    /** {@return the number from the kernel, also where {@link #errno} is {@link Errno#OTHER}} */
    public int errnoNumber() {
        return errnoNumber;
    }

    private static String name(int errnoNumber) {
        Errno errno = Errno.of(errnoNumber);
        return errno == Errno.OTHER ? "errno " + errnoNumber : errno.name();
    }
}
