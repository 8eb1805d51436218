package dev.probestream.collector.process;

import dev.probestream.bpf.tracefs.TracefsException;

/** A probe or its process cannot be found or may not be used; the message is for the user as it stands. */
public final class ResolveException extends Exception {
    private static final long serialVersionUID = 1;

    /** What kind of obstacle it is, for whoever must decide what to do about it. */
    public enum Reason {
        /** No process, or one that has no program of its own (kernel thread, zombie). */
        NO_PROCESS,
        /** The process or a file belongs to somebody else and we lack the privilege. */
        NOT_PERMITTED,
        /** The file, or a library of that name, is not there. */
        NO_FILE,
        /** The file is none that can be probed: no ELF file, or one for another processor. */
        NOT_PROBEABLE,
        /** The file has no such function or USDT probe, or it was stripped of its names. */
        NO_FUNCTION,
        /** The file is of a version that the probe is not meant for ({@code FileCondition}). */
        NOT_MEANT,
        /** The function is there, but probing it as asked would be wrong or harm the process. */
        REFUSED
    }

    private final Reason reason;

    public ResolveException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    public ResolveException(Reason reason, String message, Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    /** Tracefs cannot be used. */
    public static ResolveException of(TracefsException e) {
        return new ResolveException(
                e.isDenied() ? Reason.NOT_PERMITTED : Reason.NO_FILE, String.valueOf(e.getMessage()), e);
    }

    /** The same with a word more on what to do. */
    public ResolveException advising(String advice) {
        return new ResolveException(reason, getMessage() + "; " + advice, this);
    }

    public Reason reason() {
        return reason;
    }
}
