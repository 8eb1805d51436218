package dev.probestream.collector.probe;

/** A probe asks for an argument that this machine or this tracepoint does not have. */
public final class ProbeArgumentException extends RuntimeException {
    /**
     * Creates the exception.
     *
     * @param spec the probe
     * @param problem which argument, and why it is not there
     */
    public ProbeArgumentException(ProbeSpec spec, String problem) {
        super("record the arguments of " + spec.text() + ": " + problem);
    }
}
