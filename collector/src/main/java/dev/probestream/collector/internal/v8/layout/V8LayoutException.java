package dev.probestream.collector.internal.v8.layout;

/** The layout of V8's objects in a file is not known; the message is the reason, and what to do. */
public final class V8LayoutException extends Exception {
    private static final long serialVersionUID = 1;

    public V8LayoutException(String reason) {
        super(reason);
    }
}
