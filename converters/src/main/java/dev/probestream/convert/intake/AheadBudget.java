package dev.probestream.convert.intake;

/**
 * How many bytes of spans may be kept from the first pass to the second. What does not fit is taken in the order of
 * the file: still shown, but perhaps on a track of its own.
 */
public final class AheadBudget {
    static final int LIMIT_BYTES = 32 << 20;

    private int leftBytes = LIMIT_BYTES;

    boolean take(int sizeBytes) {
        if (sizeBytes > leftBytes) {
            return false;
        }
        leftBytes -= sizeBytes;
        return true;
    }
}
