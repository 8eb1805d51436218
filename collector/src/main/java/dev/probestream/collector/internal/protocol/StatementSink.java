package dev.probestream.collector.internal.protocol;

/** Receives what a {@link Conversation} finds. */
public interface StatementSink {
    /** A statement whose answer is complete. */
    void answered(Statement statement, Moment at);

    /** So many statements were sent of which it cannot be told what became of them. */
    void undecoded(int count);
}
