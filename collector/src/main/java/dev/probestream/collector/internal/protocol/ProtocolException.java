package dev.probestream.collector.internal.protocol;

/** Bytes that are none of the protocol. */
public final class ProtocolException extends Exception {
    private static final long serialVersionUID = 1;

    public ProtocolException(String message) {
        super(message);
    }
}
