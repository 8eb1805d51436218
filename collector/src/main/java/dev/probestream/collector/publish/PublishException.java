package dev.probestream.collector.publish;

/**
 * The medium took no more. The message says what was tried, on what, what the system said and what to do; what was
 * published before stays readable.
 */
public final class PublishException extends RuntimeException {
    private static final long serialVersionUID = 1;

    PublishException(String message, Throwable cause) {
        super(message, cause);
    }
}
