package dev.probestream.schema.recording;

import java.util.ArrayList;
import java.util.List;

/** Counts the damages of one file and keeps the first of them: a file of garbage must not fill the memory. */
final class DamageLog {
    private final List<ReadOutcome.Damage> first = new ArrayList<>();
    private long count;
    private long skippedBytes;

    void add(ReadOutcome.Damage damage) {
        count++;
        skippedBytes += damage.skippedBytes();
        if (first.size() < ReadOutcome.MAX_DAMAGES) {
            first.add(damage);
        }
    }

    List<ReadOutcome.Damage> first() {
        return first;
    }

    long count() {
        return count;
    }

    long skippedBytes() {
        return skippedBytes;
    }
}
