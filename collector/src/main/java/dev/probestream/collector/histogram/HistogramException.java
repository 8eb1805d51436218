package dev.probestream.collector.histogram;

/** A histogram specification is invalid. The message is for the user and names a valid alternative. */
public final class HistogramException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message for the user
     */
    public HistogramException(String message) {
        super(message);
    }
}
