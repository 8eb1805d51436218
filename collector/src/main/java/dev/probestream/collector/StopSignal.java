package dev.probestream.collector;

/** Asks a running collection to end in order; may be raised from any thread, also from a shutdown hook. */
public final class StopSignal {
    private volatile boolean raised;

    public void raise() {
        raised = true;
    }

    public boolean isRaised() {
        return raised;
    }
}
