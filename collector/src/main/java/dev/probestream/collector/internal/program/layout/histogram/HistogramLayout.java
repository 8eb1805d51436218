package dev.probestream.collector.internal.program.layout.histogram;

import dev.probestream.collector.histogram.Bucketing;
import dev.probestream.collector.internal.program.layout.ArgumentSlot;
import dev.probestream.collector.probe.ArgumentSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Where everything lies in the keys of one histogram's map: drawn here once, written by the programs, read by who makes
 * a snapshot. The value is a u64, the count, or as of {@link HistogramSumsLayout}. (Little-endian, 8-aligned.)
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
 * @param sums where the values are added up, if they are; else each key has a u64 for each CPU
 * @param arguments what the programs read, each a part of the key or the value or both; every type known
 * @param sizeBytes of a key, a multiple of 8
 */
public record HistogramLayout(
        String mapName,
        List<HistogramKeyPart> parts,
        HistogramValue value,
        Bucketing bucketing,
        Optional<HistogramStackLayout> stack,
        Optional<HistogramSumsLayout> sums,
        List<ArgumentSpec> arguments,
        int sizeBytes) {
    public static final int BUCKET_OFFSET = 0;
    public static final int UNREADABLE_OFFSET = 8;
    public static final int PARTS_OFFSET = 16;

    public HistogramLayout {
        parts = List.copyOf(parts);
        arguments = List.copyOf(arguments);
    }

    /** The indexes of the arguments that a value is computed of: the value itself, or a part of the key. */
    public List<Integer> operands() {
        long bits = value.argumentBits();
        for (HistogramKeyPart part : parts) {
            bits |= part.computed().map(HistogramValue::argumentBits).orElse(0L);
        }
        List<Integer> operands = new ArrayList<>();
        for (int i = 0; i < arguments.size(); i++) {
            if ((bits >>> i & 1) != 0) {
                operands.add(i);
            }
        }
        return operands;
    }
}
