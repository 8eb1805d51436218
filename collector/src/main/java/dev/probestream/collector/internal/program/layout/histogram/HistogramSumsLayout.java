package dev.probestream.collector.internal.program.layout.histogram;

/**
 * The sums of the values under the keys of a histogram. The map of its counts is then a hash: key -> u32, the number of the key, and
 * the sums of a key on a CPU are the value {@code number * cpus + cpu} of an array.
 *
 * <pre>
 * offset  size  field
 *      0     8  count    of hits
 *      8     8  low      the sum of the lower 32 bits of the values, as numbers without a sign
 *     16     8  high     the sum of the values divided by 2^32 and rounded down: the sum is high * 2^32 + low
 *     24     8  least    complement of the smallest value   } unsigned, of signed values with the sign bit inverted;
 *     32     8  greatest the greatest value                 } user space replaces both by 0, which stands for no value
 * </pre>
 *
 * Both sums are exact up to 2^32 values of a key on a CPU.
 *
 * @param mapName of the histogram
 * @param keys so many keys there is room for
 * @param cpus so many CPUs are possible
 */
public record HistogramSumsLayout(String mapName, int keys, int cpus) {
    public static final int COUNT_OFFSET = 0;
    public static final int LOW_OFFSET = 8;
    public static final int HIGH_OFFSET = 16;
    public static final int LEAST_OFFSET = 24;
    public static final int GREATEST_OFFSET = 32;
    public static final int SIZE_BYTES = 40;

    /** Array of the sums. */
    public String sumsMap() {
        return mapName + "_sums";
    }

    /** Array of one u64: the number of the next key. */
    public String nextMap() {
        return mapName + "_next";
    }
}
