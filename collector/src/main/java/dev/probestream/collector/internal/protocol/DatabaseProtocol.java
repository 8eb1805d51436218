package dev.probestream.collector.internal.protocol;

import java.util.Optional;

/**
 * A protocol between a client and a database: what it is called, how a connection that speaks it is recognized, and what is said on
 * it. One serves all connections of a capture; it need not be thread-safe.
 */
public interface DatabaseProtocol {
    /** As in the argument {@code protocol} of the events: one word in small letters, {@code postgresql}. */
    String name();

    /** Of the database, in its own spelling: {@code PostgreSQL}. Tracks and findings have it. */
    String title();

    /**
     * What goes on, or begins, with this buffer; empty = all that is known of it is not of a client in this protocol.
     *
     * @param bytes of the buffer that was written, borrowed for the call
     * @param end of what is known of it
     * @param sizeBytes how long it was
     * @param sink takes the statements
     */
    Optional<Conversation> recognize(byte[] bytes, int end, long sizeBytes, StatementSink sink);

    /**
     * What goes on with this buffer if no protocol recognizes all of it: where the last message is cut, for example. Parameters as above.
     */
    default Optional<Conversation> recognizeBeginning(byte[] bytes, int end, long sizeBytes, StatementSink sink) {
        return Optional.empty();
    }

    /** Whether this buffer is what only a new connection begins with, whatever was said before; parameters as above. */
    default boolean isNewConnection(byte[] bytes, int end, long sizeBytes) {
        return false;
    }
}
