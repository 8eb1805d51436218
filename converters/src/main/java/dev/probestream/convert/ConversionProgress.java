package dev.probestream.convert;

/** Is told now and then, on the converting thread, how far a conversion has come. */
@FunctionalInterface
public interface ConversionProgress {
    /** Tells nobody. */
    ConversionProgress NONE = (pass, events) -> {};

    /** The pass of a conversion that reads its input once; it writes all the while, as pass 2 does. */
    int ONLY_PASS = 2;

    /**
     * @param pass 1 while the recordings are surveyed, 2 while the trace is written
     * @param events how many events this pass has read so far
     */
    void reached(int pass, long events);
}
