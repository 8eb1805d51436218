package dev.probestream.collector.internal.program.layout;

/**
 * One part of a histogram's key.
 *
 * @param name as the spec has it
 * @param source where it comes from
 * @param argument of {@link Source#ARGUMENT} its index among the arguments the program reads, and its bit in {@code
 *     unreadable}; else -1
 * @param slot where it lies in the key, and its type
 */
public record HistogramKeyPart(String name, Source source, int argument, ArgumentSlot slot) {
    /** The places. */
    public enum Source {
        /** An argument of the probe, or what the function returned. */
        ARGUMENT,
        PID,
        TID,
        COMM,
        CPU,
        /** The id of the probe that was hit. */
        PROBE,
        /** The stack, or a function of it: {@link HistogramStackLayout}, which all parts of this kind share. */
        STACK
    }

    /** Whether a hit's value could not be read. */
    public boolean isUnreadable(long unreadableBits) {
        return argument >= 0 && (unreadableBits >>> argument & 1) != 0;
    }
}
