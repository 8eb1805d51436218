package dev.probestream.collector.internal.v8.heap;

/** Memory does not hold what was looked for there. Without a stack trace: it is thrown often and is never an error of ours. */
public final class HeapException extends Exception {
    private static final long serialVersionUID = 1;

    private final Reason reason;

    public HeapException(Reason reason, String message) {
        super(message, null, false, false);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }

    /** Why an object cannot be read. */
    public enum Reason {
        /** It is not mapped, or the process has ended. */
        UNREADABLE,
        /** Something else is there: it moved, was freed, or never was what it seemed to be. */
        UNEXPECTED,
        /** The request has used up its reads or bytes. */
        BUDGET
    }
}
