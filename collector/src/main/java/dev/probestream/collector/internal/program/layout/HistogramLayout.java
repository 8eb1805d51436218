package dev.probestream.collector.internal.program.layout;

import dev.probestream.collector.histogram.Bucketing;
import dev.probestream.collector.probe.ArgumentSpec;
import java.util.List;
import java.util.Optional;

/**
 * Where everything lies in the keys of one histogram's map: drawn here once, written by the programs, read by who makes
 * a snapshot. The value is a u64, the count. (Little-endian, 8-aligned.)
 *
 * <pre>
 * offset  size  field
 *      0     8  bucket      s64, as {@link Bucketing} numbers them
 *      8     8  unreadable  bit i: argument i could not be read
 *     16        the parts of the key, each an {@link ArgumentSlot}; what a text does not fill is zeros
 * </pre>
 *
 * @param mapName one of the plan's maps
 * @param parts of the key, in the order of the spec's keys
 * @param value what falls into buckets
 * @param bucketing how
 * @param stack of the keys that are stacks, or functions of them; empty if there are none
 * @param arguments what the programs read, each a part of the key or the value or both; every type known
 * @param sizeBytes of a key, a multiple of 8
 */
public record HistogramLayout(
        String mapName,
        List<HistogramKeyPart> parts,
        Value value,
        Bucketing bucketing,
        Optional<HistogramStackLayout> stack,
        List<ArgumentSpec> arguments,
        int sizeBytes) {
    public static final int BUCKET_OFFSET = 0;
    public static final int UNREADABLE_OFFSET = 8;
    public static final int PARTS_OFFSET = 16;

    /**
     * What falls into buckets.
     *
     * @param source which kind of value
     * @param argument of {@link Source#ARGUMENT} its index, else -1
     * @param isSigned whether its highest bit is a sign
     */
    public record Value(Source source, int argument, boolean isSigned) {
        public static final Value NONE = new Value(Source.NONE, -1, false);
        public static final Value DURATION = new Value(Source.DURATION, -1, true);

        /** The kinds. */
        public enum Source {
            /** Hits are counted. */
            NONE,
            ARGUMENT,
            /** From entry to return of a span, in ns. */
            DURATION
        }
    }

    public HistogramLayout {
        parts = List.copyOf(parts);
        arguments = List.copyOf(arguments);
    }
}
