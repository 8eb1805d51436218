package dev.probestream.collector.publish;

import dev.probestream.schema.recording.RecordingException;

/**
 * Publishing failed permanently. The message contains the operation, its object, the reason and an advice. Records
 * published before remain readable.
 */
public final class PublishException extends RuntimeException {
    private static final long serialVersionUID = 1;

    PublishException(RecordingException cause) {
        super(cause.getMessage(), cause);
    }

    /** Without a cause, because messages of Kafka's clients may contain secrets. */
    PublishException(String message) {
        super(message);
    }
}
