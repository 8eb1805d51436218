package dev.probestream.schema.message;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The key or value of a Kafka message cannot be decoded. The caller adds topic and offset. */
public final class MessageFormatException extends IOException {
    private static final long serialVersionUID = 1L;

    private final int position;

    MessageFormatException(int position, String reason, @Nullable Throwable cause) {
        super("malformed message at byte " + position + ": " + reason, cause);
        this.position = position;
    }

    /** Byte of the key or value at which it stopped making sense. */
    public int position() {
        return position;
    }
}
