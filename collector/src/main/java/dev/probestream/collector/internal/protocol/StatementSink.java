package dev.probestream.collector.internal.protocol;

/** Receives what a {@link Conversation} finds. */
public interface StatementSink {
    /** A statement whose answer is complete. */
    void answered(Statement statement, Moment at);

    /** A statement whose answer cannot be distinguished from those of others. */
    void unmatched(Statement statement);

    /** So many statements of which nothing is known were sent. */
    void undecoded(int count);

    /** Bytes were read that a server of this protocol sends, though it is not known what they answer. */
    void understood();
}
