package dev.probestream.sink;

/** Leaves a conversion, whose progress may throw nothing checked, because the sink was stopped. */
final class StoppedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    StoppedException() {
        super("the sink was stopped", null, false, false);
    }
}
