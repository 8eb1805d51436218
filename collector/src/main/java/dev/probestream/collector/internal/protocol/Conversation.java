package dev.probestream.collector.internal.protocol;

import java.util.List;

/**
 * The messages on one connection, in one protocol. It is given the bytes in order; of long ones it is given the first
 * and how many are missing behind them. It takes a connection whose beginning it has not seen, and finds a clean
 * beginning by itself.
 */
public interface Conversation {
    /**
     * Bytes were written.
     *
     * @param bytes borrowed for the call
     * @param missing how many bytes follow that were not recorded
     * @throws ProtocolException if they are none of this protocol
     */
    void written(Moment at, byte[] bytes, int start, int end, long missing) throws ProtocolException;

    /**
     * Bytes were read.
     *
     * @param bytes borrowed for the call
     * @param missing how many bytes follow that were not recorded
     * @param tail the last of the missing ones, as far as they were recorded; empty if there are none
     * @param isFirst whether nothing was ever read from the connection before
     * @throws ProtocolException if they are none of this protocol
     */
    void read(Moment at, byte[] bytes, int start, int end, long missing, byte[] tail, boolean isFirst)
            throws ProtocolException;

    /** Bytes were lost, in either direction: what is open cannot be decoded any more. */
    void lost();

    /** The statements without an answer, the oldest first. Those of which it is not certain are counted instead. */
    List<Statement> takeOpen();
}
