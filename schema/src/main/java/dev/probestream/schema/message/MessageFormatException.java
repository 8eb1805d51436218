package dev.probestream.schema.message;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The key or value of a Kafka message cannot be decoded. The caller adds topic and offset. */
public final class MessageFormatException extends IOException {
    private static final long serialVersionUID = 1L;

    private final int position;
    private final boolean isSchemaUnknown;

    MessageFormatException(int position, String reason, @Nullable Throwable cause) {
        this(position, reason, cause, false);
    }

    private MessageFormatException(int position, String reason, @Nullable Throwable cause, boolean isSchemaUnknown) {
        super("malformed message at byte " + position + ": " + reason, cause);
        this.position = position;
        this.isSchemaUnknown = isSchemaUnknown;
    }

    static MessageFormatException ofUnknownSchema(int position, String reason) {
        return new MessageFormatException(position, reason, null, true);
    }

    /**
     * {@return whether the message is well-formed, but of a schema that is unknown: a newer version may have written
     * it}
     */
    public boolean isSchemaUnknown() {
        return isSchemaUnknown;
    }

    /** {@return byte of the key or value at which it stopped making sense} */
    public int position() {
        return position;
    }
}
