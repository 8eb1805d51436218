package dev.probestream.convert.request;

import org.jspecify.annotations.Nullable;

/**
 * The last write to a stream and the last first line of a message in one. A line is written by a write, and which of the
 * two hits comes first is not defined; and a write that is refused (libuv's uv_try_write: EAGAIN) is followed by another one
 * of the same bytes.
 */
final class LastWrite {
    private long startNs = -1;
    private long endNs = -1;
    private long bytes;
    private @Nullable Exchange exchange;
    private long exchangeEndBeforeNs;
    private long refusedFromNs = -1;
    private long refusedToNs = -1;
    private String line = "";
    private long lineNs = -1;

    void wrote(long fromNs, long toNs, long writtenBytes, @Nullable Exchange of, long ofEndBeforeNs) {
        startNs = fromNs;
        endNs = toNs;
        bytes = writtenBytes;
        exchange = of;
        exchangeEndBeforeNs = ofEndBeforeNs;
    }

    /** Whether the write was under way then. */
    boolean covers(long atNs) {
        return startNs <= atNs && atNs <= endNs;
    }

    void refused(long fromNs, long toNs) {
        refusedFromNs = fromNs;
        refusedToNs = toNs;
    }

    /** Whether this line was written before, and refused. Remembers it. */
    boolean isRepetition(String written, long atNs) {
        boolean wasRefused = lineNs >= refusedFromNs && lineNs <= refusedToNs && refusedToNs >= 0;
        boolean isRepeated = wasRefused && written.equals(line) && atNs > refusedToNs;
        line = written;
        lineNs = atNs;
        return isRepeated;
    }

    /** The last write wrote the first line of a message of {@code owner}: the write is attributed to the owner, whatever was assumed before. */
    void claim(Exchange owner, long lineAtNs, PendingEdges edges) {
        if (lineAtNs < startNs || lineAtNs > endNs) {
            return;
        }
        if (exchange != owner) {
            if (exchange != null) {
                exchange.sentBytes -= bytes;
                if (exchange.isServer() && !exchange.isOver) {
                    exchange.endedAlreadyAt(exchangeEndBeforeNs);
                }
            }
            owner.send(bytes);
            exchange = owner;
        }
        if (owner.isServer()) {
            owner.endsAt(endNs, edges);
        }
    }
}
