package dev.probestream.collector.probe;

/** A probe asks for an argument that this machine or this tracepoint does not have. */
public final class ProbeArgumentException extends RuntimeException {
    public ProbeArgumentException(ProbeSpec spec, String problem) {
        super("record the arguments of " + spec.text() + ": " + problem);
    }
}
