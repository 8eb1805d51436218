package dev.probestream.collector.internal.v8;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Counts JavaScript frames without a name, by reason. A frame of a stack that is seen again counts once. */
final class UnnamedFrames {
    private final Map<UnnamedReason, Long> counts = new EnumMap<>(UnnamedReason.class);
    private long named;

    void add(UnnamedReason reason, int frames) {
        if (frames > 0) {
            counts.merge(reason, (long) frames, Long::sum);
        }
    }

    void addNamed(int frames) {
        named += frames;
    }

    /** The number of frames without a name for this reason. */
    long count(UnnamedReason reason) {
        return counts.getOrDefault(reason, 0L);
    }

    /** A line for each reason that occurred, for the user. */
    List<String> warnings() {
        long all = named + counts.values().stream().mapToLong(Long::longValue).sum();
        List<String> lines = new ArrayList<>();
        counts.forEach((reason, count) ->
                lines.add(count + " of " + all + " JavaScript frames of different stacks have no name: " + reason.text()));
        return lines;
    }
}
