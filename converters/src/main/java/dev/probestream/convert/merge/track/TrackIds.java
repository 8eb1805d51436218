package dev.probestream.convert.merge.track;

/**
 * Numbers made from texts, for tracks and flows: the same text always gives the same number, so nothing needs to be
 * remembered. 63 bits: two of a million texts get the same one with a probability of 1 to 10,000,000.
 */
public final class TrackIds {
    private static final long FNV_OFFSET = 0xCBF29CE484222325L;
    private static final long FNV_PRIME = 0x100000001B3L;

    /** Set in all of them: our own numbers, and those of small counters, are below. */
    private static final long HIGH_BIT = 1L << 62;

    private TrackIds() {}

    public static long of(String text) {
        long hash = FNV_OFFSET;
        for (int i = 0; i < text.length(); i++) {
            hash = (hash ^ text.charAt(i)) * FNV_PRIME;
        }
        return of(hash);
    }

    /** As above, from a number. */
    public static long of(long number) {
        // The finalizer of MurmurHash3: FNV's top bits are poor for short texts.
        long mixed = number;
        mixed = (mixed ^ mixed >>> 33) * 0xFF51AFD7ED558CCDL;
        mixed = (mixed ^ mixed >>> 33) * 0xC4CEB9FE1A85EC53L;
        return ((mixed ^ mixed >>> 33) & Long.MAX_VALUE) | HIGH_BIT;
    }
}
