package dev.probestream.collector.internal.program.layout;

/**
 * The sums of the hits of a probe on a thread, in the kernel. Only the thread itself writes them.
 *
 * <pre>
 * key:    0    4  tid
 *         4    4  probeId
 *         8    4  threadTag   distinguishes threads that had the same tid one after the other
 * value:  0    4  tgid
 *         8    8  failed
 *        16    8  totalNs
 *        24   16  maxNs       one for each of two intervals
 *        40    8  interval    u32, to which interval each maxNs belongs
 *        48  4*24 durations   u32, which wrap: how many lasted 2^(8+i) ns and more, the first also less
 * </pre>
 *
 * How many hits there were is the sum of durations.
 */
public final class SumLayout {
    public static final int KEY_TID_OFFSET = 0;
    public static final int KEY_PROBE_ID_OFFSET = 4;
    public static final int KEY_THREAD_TAG_OFFSET = 8;
    public static final int KEY_SIZE_BYTES = 12;

    public static final int TGID_OFFSET = 0;
    public static final int FAILED_OFFSET = 8;
    public static final int TOTAL_OFFSET = 16;
    public static final int MAX_OFFSET = 24;
    public static final int INTERVAL_OFFSET = 40;
    public static final int DURATIONS_OFFSET = 48;

    public static final int DURATION_COUNT = 24;
    /** Of the shortest duration that is distinguished. */
    public static final int FIRST_DURATION_BITS = 8;

    public static final int SIZE_BYTES = DURATIONS_OFFSET + DURATION_COUNT * Integer.BYTES;

    private SumLayout() {}

    /** The place of a duration among those of the record. */
    public static int durationIndex(long durationNs) {
        long units = durationNs >>> FIRST_DURATION_BITS;
        return units <= 1 ? 0 : Math.min(DURATION_COUNT - 1, Long.SIZE - 1 - Long.numberOfLeadingZeros(units));
    }
}
