package dev.probestream.schema;

import java.io.IOException;

/** Bytes that were to be an event are none. Knows where in the buffer; whoever knows the file adds it. */
public final class MalformedEventException extends IOException {
    private static final long serialVersionUID = 1L;

    private final int position;

    MalformedEventException(int position, String reason) {
        super("malformed event at buffer position " + position + ": " + reason);
        this.position = position;
    }

    /** Index in the wrapped buffer at which the bytes stopped making sense. */
    public int position() {
        return position;
    }
}
