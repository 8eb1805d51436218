package dev.probestream.convert.request;

import dev.probestream.convert.request.context.OwnerSource;
import dev.probestream.convert.request.split.TimeSplit;
import org.jspecify.annotations.Nullable;

/**
 * One HTTP exchange, or statement to a database, as it was seen. Times are CLOCK_MONOTONIC ns of the capture's machine.
 *
 * @param number counts the requests of a capture from 1, in the order in which they were seen to begin
 * @param parentNumber of a client's request the server's request that ordered it; 0 = none, or unknown
 * @param parentSource by what that was found; null = it is unknown
 * @param side which end the process was
 * @param pid of the process
 * @param tid of the loop's thread
 * @param startNs server: its first byte was parsed; client: its first line was written
 * @param headNs the first line of the answer was written (server) or its headers were read (client); -1 = never
 * @param endNs server: the last write of the answer; client: the answer was read to its end; -1 = it had not ended when
 *     the capture ended, or its end is not known
 * @param outcome how it ended
 * @param method "GET"; "" = unknown
 * @param url as recorded (masked, perhaps cut); "" = unknown
 * @param status of the answer; 0 = none was seen
 * @param isTls whether it went through a TLS session of this process
 * @param keepAlive whether the connection was to stay open: by the client's header (server's requests) or the answer's (client's)
 * @param remote address and port of the other end, "127.0.0.1:4711"; "" = unknown
 * @param local address and port of this end; "" = unknown
 * @param receivedBytes read from the connection meanwhile, headers included, as they come (encrypted ones with TLS); -1 = unknown
 * @param sentBytes written to it, likewise
 * @param split where the time went
 * @param details what was asked for and answered, by the protocol; who asked whom
 */
public record Request(
        long number,
        long parentNumber,
        @Nullable OwnerSource parentSource,
        Side side,
        int pid,
        int tid,
        long startNs,
        long headNs,
        long endNs,
        Outcome outcome,
        String method,
        String url,
        int status,
        boolean isTls,
        KeepAlive keepAlive,
        String remote,
        String local,
        long receivedBytes,
        long sentBytes,
        TimeSplit split,
        RequestDetails details) {

    /** Which end of the exchange the process was. */
    public enum Side {
        SERVER,
        CLIENT
    }

    /** How an exchange ended. */
    public enum Outcome {
        /** It was answered; of a client's whose answer no parser of Node read: bytes came back. */
        COMPLETE,
        /** The connection became another protocol's, such as WebSocket. */
        UPGRADED,
        /** The connection was closed before all of an answer was written (server) or came (client), or there was none. */
        ABORTED,
        /** It was going on when the capture ended. */
        OPEN,
        /** Its probes were not watched for a while after it began: neither its end nor its result is known. */
        UNOBSERVED,
        /**
         * A statement, or a request around which hits were lost, whose answer could not be distinguished from those of others: neither its end nor its
         * result is known.
         */
        UNKNOWN;

        /** Whether it is known when it ended. */
        public boolean hasEnd() {
            return switch (this) {
                case COMPLETE, UPGRADED, ABORTED -> true;
                case OPEN, UNOBSERVED, UNKNOWN -> false;
            };
        }
    }

    /** Whether a connection stays open after the exchange. */
    public enum KeepAlive {
        YES,
        NO,
        UNKNOWN
    }
}
