package dev.probestream.bpf.tracefs;

/** Tracefs is not mounted and cannot be mounted, or a file in it cannot be read. The message is complete. */
public final class TracefsException extends Exception {
    private static final long serialVersionUID = 1;

    private final boolean isDenied;

    TracefsException(boolean isDenied, String message, Throwable cause) {
        super(message, cause);
        this.isDenied = isDenied;
    }

    /** {@return whether a privilege is missing (EPERM, EACCES), as opposed to a file} */
    public boolean isDenied() {
        return isDenied;
    }
}
