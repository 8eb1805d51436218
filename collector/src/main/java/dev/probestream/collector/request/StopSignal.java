package dev.probestream.collector.request;

/** Asks a running collection to end in order; may be raised from any thread, also from a shutdown hook. */
public final class StopSignal {
    private volatile boolean raised;

    /** Asks for the end; a second call does nothing. */
    public void raise() {
        raised = true;
    }

    /** {@return whether the end was asked for} */
    public boolean isRaised() {
        return raised;
    }
}
