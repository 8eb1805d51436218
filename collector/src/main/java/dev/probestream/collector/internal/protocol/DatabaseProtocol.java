package dev.probestream.collector.internal.protocol;

import dev.probestream.collector.internal.redact.StatementText;
import java.util.Optional;

/** A protocol between a client and a database: how a connection that speaks it is recognized, and what is said on it. */
public interface DatabaseProtocol {
    /**
     * What goes on, or begins, with this buffer; empty = it is none of a client in this protocol.
     *
     * @param bytes of the buffer that was written, borrowed for the call
     * @param end of what is known of it
     * @param sizeBytes how long it was
     */
    Optional<Conversation> recognize(byte[] bytes, int end, long sizeBytes, StatementText texts, StatementSink sink);

    /** Whether this buffer is what only a new connection begins with, whatever was said before; parameters as above. */
    default boolean isNewConnection(byte[] bytes, int end, long sizeBytes) {
        return false;
    }
}
