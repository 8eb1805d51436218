package dev.probestream.collector.internal.program.layout.histogram;

import dev.probestream.collector.internal.program.layout.ArgumentSlot;
import java.util.Optional;

/**
 * One part of a histogram's key.
 *
 * @param name as the spec has it
 * @param source where it comes from
 * @param argument of {@link Source#ARGUMENT} its index among the arguments the program reads, and its bit in {@code
 *     unreadable}; else -1
 * @param computed of {@link Source#COMPUTED} the number; else empty
 * @param slot where it lies in the key, and its type
 */
public record HistogramKeyPart(
        String name, Source source, int argument, Optional<HistogramValue> computed, ArgumentSlot slot) {
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
        /** A number computed of what the hit has. */
        COMPUTED,
        /** The stack, or a function of it: {@link HistogramStackLayout}, which all parts of this kind share. */
        STACK
    }

    /** The bits, among those of what could not be read, of the arguments that it needs. */
    public long argumentBits() {
        return computed.map(HistogramValue::argumentBits).orElse(argument < 0 ? 0 : 1L << argument);
    }

    /** Whether a hit's value could not be read. */
    public boolean isUnreadable(long unreadableBits) {
        return (unreadableBits & argumentBits()) != 0;
    }
}
