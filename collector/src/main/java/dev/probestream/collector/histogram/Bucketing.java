package dev.probestream.collector.histogram;

/**
 * Maps values to numbered buckets. The BPF program computes the number; {@link #range} returns its range of values:
 *
 * <pre>
 *          COUNT   LOG2                       LINEAR
 *   -2     -       the value could not be read
 *   -1     -       less than 0                -
 *    0     all     0                          less than from
 *    k     -       2^(k-1) to 2^k - 1         from + (k-1) * step to from + k * step - 1, at most to - 1
 *   last   -       64: 2^63 to 2^64 - 1       to and more
 * </pre>
 *
 * <p>The forms that add values up have the buckets of COUNT, and -2.
 *
 * @param form the column of the table
 * @param from the lower bound of a linear histogram, inclusive; 0 for other forms
 * @param to the upper bound, exclusive; 0 for other forms
 * @param step the width of a bucket, of which the last may be narrower; 0 for other forms
 */
public record Bucketing(Form form, long from, long to, long step) {
    /** The forms of a histogram. */
    public enum Form {
        /** No buckets: hits are counted. */
        COUNT,
        /** Powers of two. */
        LOG2,
        /** Equal widths, with a bucket for smaller values and one for larger values. */
        LINEAR,
        /** No buckets: the sum of the values. */
        SUM,
        /** No buckets: the average of the values. */
        AVG,
        /** No buckets: the smallest value. */
        MIN,
        /** No buckets: the greatest value. */
        MAX,
        /** No buckets: count, average, sum, smallest and greatest. */
        STATS;

        /** {@return whether values are added up and not put into buckets} */
        public boolean isOfSums() {
            return compareTo(SUM) >= 0;
        }
    }

    /** The bucket of hits whose value could not be read. */
    public static final int UNREADABLE = -2;
    /** The bucket of values below 0 of {@link Form#LOG2}. */
    public static final int NEGATIVE = -1;
    /**
     * The bucket of hits of {@link Form#COUNT}, of the value 0 of {@link Form#LOG2}, of values below the range of
     * {@link Form#LINEAR}.
     */
    public static final int FIRST = 0;
    /** Upper limit, so that a histogram stays readable. */
    public static final int MAX_LINEAR_BUCKETS = 1000;

    /** One count, without buckets. */
    public static final Bucketing COUNT = new Bucketing(Form.COUNT, 0, 0, 0);
    /** Buckets whose bounds are powers of two. */
    public static final Bucketing LOG2 = new Bucketing(Form.LOG2, 0, 0, 0);

    /**
     * {@return values that are added up}
     *
     * @param form one that {@link Form#isOfSums}
     */
    public static Bucketing sums(Form form) {
        return new Bucketing(form, 0, 0, 0);
    }

    /**
     * {@return equal widths}
     *
     * @param from where the first bucket begins
     * @param to where the last bucket ends
     * @param step the width of a bucket, more than zero
     */
    public static Bucketing linear(long from, long to, long step) {
        return new Bucketing(Form.LINEAR, from, to, step);
    }

    /**
     * Reads {@code FROM:TO:STEP}, such as {@code 0:1000:50}.
     *
     * @param text the three numbers
     * @return the buckets
     * @throws HistogramException if the text is not three numbers, or they give no buckets or too many
     */
    public static Bucketing parseLinear(String text) {
        if (!text.matches("-?[0-9]{1,18}:-?[0-9]{1,18}:[0-9]{1,18}")) {
            throw new HistogramException("invalid linear histogram '" + text
                    + "': expected FROM:TO:STEP in whole numbers, such as 0:1000:50");
        }
        String[] numbers = text.split(":");
        long from = Long.parseLong(numbers[0]);
        long to = Long.parseLong(numbers[1]);
        long step = Long.parseLong(numbers[2]);
        if (to <= from || step == 0) {
            throw new HistogramException("invalid linear histogram '" + text
                    + "': in FROM:TO:STEP, TO must be greater than FROM and STEP greater than 0");
        }
        if ((to - from - 1) / step >= MAX_LINEAR_BUCKETS) {
            throw new HistogramException("invalid linear histogram '" + text + "': more than " + MAX_LINEAR_BUCKETS
                    + " buckets; use a larger STEP");
        }
        return linear(from, to, step);
    }

    /** {@return the bucket of values above a linear histogram's range} */
    public int overflowBucket() {
        return (int) ((to - from - 1) / step) + 2;
    }

    /**
     * {@return the values of a bucket}
     *
     * @param bucket counted from 0
     */
    public BucketRange range(int bucket) {
        if (bucket == UNREADABLE) {
            return BucketRange.UNREADABLE;
        }
        return switch (form) {
            case COUNT, SUM, AVG, MIN, MAX, STATS -> BucketRange.EVERYTHING;
            case LOG2 -> log2(bucket);
            case LINEAR -> linear(bucket);
        };
    }

    private static BucketRange log2(int bucket) {
        return bucket == NEGATIVE ? BucketRange.below(0) : BucketRange.ofBits(bucket);
    }

    private BucketRange linear(int bucket) {
        if (bucket == FIRST) {
            return BucketRange.below(from);
        }
        if (bucket == overflowBucket()) {
            return BucketRange.from(to);
        }
        long lower = from + (bucket - 1) * step;
        return BucketRange.between(lower, to - lower > step ? lower + step - 1 : to - 1);
    }
}
