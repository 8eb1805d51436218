package dev.probestream.sink;

/** How far a sink reads, and who shares the work. */
public enum SinkMode {
    /** As a member of a consumer group, until it is stopped. */
    FOLLOW,
    /**
     * Alone, from where the folder says to the end that the topic has at the start; then every slice is closed and the
     * sink ends. A folder can be followed and caught up in turn.
     */
    CATCH_UP,
    /** Alone, an {@link IncidentWindow} into a folder of its own, which no other run may have used. */
    WINDOW
}
