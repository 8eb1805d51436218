package dev.probestream.collector.internal.event;

/** A probe whose hits the collector makes itself, of what it reads or of other hits. Its id is above those of all others. */
public enum OwnProbe {
    /** A connection that was open before the capture began. */
    OPEN_CONNECTION(1),
    /** A statement, put together of what is written to a database and read from it. */
    STATEMENT(2),
    /** A WebSocket connection, with the sums of its messages. */
    WEBSOCKET_CONNECTION(3);

    private final int above;

    OwnProbe(int above) {
        this.above = above;
    }

    /** @param maxProbeId the highest id of all other probes */
    public int id(int maxProbeId) {
        return maxProbeId + above;
    }
}
