package dev.probestream.bpf.elf;

/**
 * How many letters must be added, dropped, changed or swapped with their neighbour to turn one text into another
 * (optimal string alignment). Stops as soon as the limit is exceeded.
 */
final class EditDistance {
    private int[] beforePrevious = new int[0];
    private int[] previous = new int[0];
    private int[] current = new int[0];

    /** The distance, or -1 when it is more than {@code limit}. */
    int atMost(int limit, byte[] one, int oneLength, byte[] other, int otherLength) {
        if (Math.abs(oneLength - otherLength) > limit) {
            return -1;
        }
        grow(otherLength + 1);
        for (int j = 0; j <= otherLength; j++) {
            previous[j] = j;
        }
        for (int i = 1; i <= oneLength; i++) {
            current[0] = i;
            int best = i;
            for (int j = 1; j <= otherLength; j++) {
                boolean isEqual = one[i - 1] == other[j - 1];
                int distance = Math.min(previous[j - 1] + (isEqual ? 0 : 1), Math.min(previous[j], current[j - 1]) + 1);
                if (i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1]) {
                    distance = Math.min(distance, beforePrevious[j - 2] + 1);
                }
                current[j] = distance;
                best = Math.min(best, distance);
            }
            if (best > limit) {
                return -1;
            }
            rotate();
        }
        return previous[otherLength] <= limit ? previous[otherLength] : -1;
    }

    private void rotate() {
        int[] free = beforePrevious;
        beforePrevious = previous;
        previous = current;
        current = free;
    }

    private void grow(int length) {
        if (current.length < length) {
            beforePrevious = new int[length];
            previous = new int[length];
            current = new int[length];
        }
    }
}
