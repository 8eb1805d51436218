package dev.probestream.convert.request;

/** What a request is doing at a moment. Of several that are true at once the first one counts. */
enum RequestPhase {
    GC,
    OFF_CPU,
    JAVASCRIPT,
    POOL_RUN,
    POOL_QUEUE,
    LOOP_WAIT,
    NETWORK,
    UNATTRIBUTED;

    /** Its place among all, from 0. */
    @SuppressWarnings("EnumOrdinal") // the order is what this enum is about
    int slot() {
        return ordinal();
    }
}
