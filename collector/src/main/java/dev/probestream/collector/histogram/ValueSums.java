package dev.probestream.collector.histogram;

import java.math.BigInteger;

/**
 * What the values of one key add up to. A value that could not be read is in none of these.
 *
 * @param count the number of values
 * @param sum exact, whatever its size
 * @param extremes the smallest and the greatest since the start
 * @param recent likewise since the previous snapshot
 */
public record ValueSums(long count, BigInteger sum, Extremes extremes, Extremes recent) {
    /** Of no values. */
    public static final ValueSums NONE = new ValueSums(0, BigInteger.ZERO, Extremes.NONE, Extremes.NONE);

    /**
     * The smallest and the greatest of some values.
     *
     * @param isAny whether there are values; else both are 0
     * @param min the smallest
     * @param max the greatest
     */
    public record Extremes(boolean isAny, BigInteger min, BigInteger max) {
        /** Of no values. */
        public static final Extremes NONE = new Extremes(false, BigInteger.ZERO, BigInteger.ZERO);

        /**
         * {@return the smallest and the greatest of both}
         *
         * @param other of other values
         */
        public Extremes and(Extremes other) {
            if (!isAny || !other.isAny) {
                return isAny ? this : other;
            }
            return new Extremes(true, min.min(other.min), max.max(other.max));
        }
    }

    /** {@return the average, rounded toward zero; 0 without values} */
    public BigInteger average() {
        return count == 0 ? BigInteger.ZERO : sum.divide(BigInteger.valueOf(count));
    }

    /**
     * {@return the sums of both}
     *
     * @param other of other hits
     */
    public ValueSums and(ValueSums other) {
        return new ValueSums(
                count + other.count, sum.add(other.sum), extremes.and(other.extremes), recent.and(other.recent));
    }

    /** The values since an earlier snapshot, the one before this. */
    ValueSums since(ValueSums earlier) {
        return new ValueSums(count - earlier.count, sum.subtract(earlier.sum), recent, recent);
    }
}
