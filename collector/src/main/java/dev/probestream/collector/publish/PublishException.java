package dev.probestream.collector.publish;

import dev.probestream.schema.recording.RecordingException;

/**
 * Publishing failed permanently. The message contains the operation, its object, the reason and an advice. Records
 * published before remain readable.
 */
public final class PublishException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /**
     * A failure of a publisher of one's own.
     *
     * @param message the operation, its object and the reason
     * @param cause why; {@link #getCause} returns it
     */
    public PublishException(String message, Throwable cause) {
        super(message, cause);
    }

    PublishException(RecordingException cause) {
        super(cause.getMessage(), cause);
    }

    /** Without a cause, because messages of Kafka's clients may contain secrets. */
    PublishException(String message) {
        super(message);
    }
}
