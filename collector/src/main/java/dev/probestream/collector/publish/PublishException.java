package dev.probestream.collector.publish;

import dev.probestream.schema.recording.RecordingException;

/**
 * The medium took no more. The message says what was tried, on what, what the system said and what to do; what was
 * published before stays readable.
 */
public final class PublishException extends RuntimeException {
    private static final long serialVersionUID = 1;

    PublishException(RecordingException cause) {
        super(cause.getMessage(), cause);
    }

    /** Without a cause: those of Kafka's clients may have secrets in their messages. */
    PublishException(String message) {
        super(message);
    }
}
