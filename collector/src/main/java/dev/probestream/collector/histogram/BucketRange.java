package dev.probestream.collector.histogram;

import java.math.BigInteger;

/**
 * The values of a bucket, both bounds included. The greatest power of two does not fit a long.
 *
 * @param kind which of the bounds there are
 * @param lower the smallest value; 0 when there is none
 * @param upper the greatest value; 0 when there is none
 */
public record BucketRange(Kind kind, BigInteger lower, BigInteger upper) {
    /** Which bounds a bucket has. */
    public enum Kind {
        /** Values that could not be read. */
        UNREADABLE,
        /** No values: hits. */
        EVERYTHING,
        /** Whatever is not greater than the upper bound. */
        BELOW,
        /** Both bounds. */
        BETWEEN,
        /** Whatever is not less than the lower bound. */
        ABOVE
    }

    static final BucketRange UNREADABLE = new BucketRange(Kind.UNREADABLE, BigInteger.ZERO, BigInteger.ZERO);
    static final BucketRange EVERYTHING = new BucketRange(Kind.EVERYTHING, BigInteger.ZERO, BigInteger.ZERO);

    static BucketRange below(long bound) {
        return new BucketRange(Kind.BELOW, BigInteger.ZERO, BigInteger.valueOf(bound - 1));
    }

    static BucketRange from(long bound) {
        return new BucketRange(Kind.ABOVE, BigInteger.valueOf(bound), BigInteger.ZERO);
    }

    static BucketRange between(long lower, long upper) {
        return new BucketRange(Kind.BETWEEN, BigInteger.valueOf(lower), BigInteger.valueOf(upper));
    }

    /** All numbers of so many bits, the highest of them set; of no bits 0. */
    static BucketRange ofBits(int bits) {
        return bits == 0
                ? between(0, 0)
                : new BucketRange(
                        Kind.BETWEEN,
                        BigInteger.ONE.shiftLeft(bits - 1),
                        BigInteger.ONE.shiftLeft(bits).subtract(BigInteger.ONE));
    }
}
