package dev.probestream.collector.histogram;

/** What is to be counted makes no sense; the message is for whoever asked, and says what would. */
public final class HistogramException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public HistogramException(String message) {
        super(message);
    }
}
