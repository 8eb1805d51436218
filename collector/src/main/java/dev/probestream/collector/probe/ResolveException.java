package dev.probestream.collector.probe;

/** A probe or its process cannot be found or used. The message is for the user. */
public final class ResolveException extends Exception {
    private static final long serialVersionUID = 1;

    /** The kind of failure, so that callers can handle it. */
    public enum Reason {
        /** There is no such process, or it has no executable (kernel thread, zombie). */
        NO_PROCESS,
        /** The process or a file belongs to another user, and privileges are missing. */
        NOT_PERMITTED,
        /** The file, or a library of that name, does not exist. */
        NO_FILE,
        /** The file cannot be probed: it is not an ELF file, or it is for another processor. */
        NOT_PROBEABLE,
        /** The file has no such function or USDT probe, or it is stripped. */
        NO_FUNCTION,
        /** No file has USDT probes of this provider; one that is mapped later may have. */
        NO_PROVIDER,
        /** The probe does not apply to this version of the file ({@code FileCondition}). */
        NOT_MEANT,
        /** The function exists, but the requested probe would give wrong results or harm the process. */
        REFUSED
    }

    private final Reason reason;

    /**
     * Creates the exception.
     *
     * @param reason the kind of failure
     * @param message what was looked for, where, what was found instead and what to do
     */
    public ResolveException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    /**
     * Creates the exception with its cause.
     *
     * @param reason the kind of failure
     * @param message what was looked for, where, what was found instead and what to do
     * @param cause what the system reported
     */
    public ResolveException(Reason reason, String message, Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    /** {@return the kind of failure} */
    public Reason reason() {
        return reason;
    }
}
