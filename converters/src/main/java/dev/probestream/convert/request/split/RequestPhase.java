package dev.probestream.convert.request.split;

/** What a request is doing at a moment. Of several that are true at once the first one counts. */
public enum RequestPhase {
    /** {@link TimeSplit#gcNs} */
    GC,
    /** {@link TimeSplit#offCpuNs} */
    OFF_CPU,
    /** {@link TimeSplit#javascriptNs} */
    JAVASCRIPT,
    /** {@link TimeSplit#poolRunNs} */
    POOL_RUN,
    /** {@link TimeSplit#poolQueueNs} */
    POOL_QUEUE,
    /** {@link TimeSplit#loopWaitNs} */
    LOOP_WAIT,
    /** {@link TimeSplit#networkNs} */
    NETWORK,
    /** {@link TimeSplit#unattributedNs} */
    UNATTRIBUTED;

    /** Its place among all, from 0. */
    @SuppressWarnings("EnumOrdinal") // the order is what this enum is about
    int slot() {
        return ordinal();
    }
}
