package dev.probestream.convert;

/** Receives the progress of a conversion, on the converting thread. */
@FunctionalInterface
public interface ConversionProgress {
    /** Ignores the progress. */
    ConversionProgress NONE = (pass, events) -> {};

    /** The pass of a conversion that reads its input once; it writes all the while, as pass 2 does. */
    int ONLY_PASS = 2;

    /** The pass that reads the input of tables once more, to find the requests in it. */
    int REQUESTS_PASS = 3;

    /**
     * @param pass 1 in the first pass over the recordings, 2 while the trace or the tables are written, {@link #REQUESTS_PASS}
     * @param events how many events this pass has read so far
     */
    void reached(int pass, long events);
}
