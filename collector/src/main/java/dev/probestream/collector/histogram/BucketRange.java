package dev.probestream.collector.histogram;

import java.math.BigInteger;

/**
 * The values of a bucket, both bounds inclusive. BigInteger, because the largest bound does not fit into a long.
 *
 * @param kind which bounds are set
 * @param lower the smallest value; 0 if there is none
 * @param upper the largest value; 0 if there is none
 */
public record BucketRange(Kind kind, BigInteger lower, BigInteger upper) {
    /** Which bounds a bucket has. */
    public enum Kind {
        /** Values that could not be read. */
        UNREADABLE,
        /** Hits, without a value. */
        EVERYTHING,
        /** All values up to the upper bound. */
        BELOW,
        /** Both bounds. */
        BETWEEN,
        /** All values from the lower bound. */
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

    /** All numbers whose highest set bit is bit number {@code bits}, counted from 1; for 0 bits the number 0. */
    static BucketRange ofBits(int bits) {
        return bits == 0
                ? between(0, 0)
                : new BucketRange(
                        Kind.BETWEEN,
                        BigInteger.ONE.shiftLeft(bits - 1),
                        BigInteger.ONE.shiftLeft(bits).subtract(BigInteger.ONE));
    }
}
