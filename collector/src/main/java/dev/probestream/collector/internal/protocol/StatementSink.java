package dev.probestream.collector.internal.protocol;

/** Receives what a {@link Conversation} finds. */
public interface StatementSink {
    /** A statement whose answer is complete. */
    void answered(Statement statement, Moment at);

    /** So many statements with unknown results were sent. */
    void undecoded(int count);
}
