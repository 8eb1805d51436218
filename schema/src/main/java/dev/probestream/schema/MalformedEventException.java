package dev.probestream.schema;

import java.io.IOException;

/** Bytes cannot be decoded as an event. The message has the position in the buffer; the caller adds the file. */
public final class MalformedEventException extends IOException {
    private static final long serialVersionUID = 1L;

    private final int position;

    MalformedEventException(int position, String reason) {
        super("malformed event at buffer position " + position + ": " + reason);
        this.position = position;
    }

    /** {@return index in the wrapped buffer at which the bytes stopped making sense} */
    public int position() {
        return position;
    }
}
