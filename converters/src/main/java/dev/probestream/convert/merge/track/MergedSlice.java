package dev.probestream.convert.merge.track;

import dev.probestream.schema.perfetto.TrackEvent;
import java.util.Comparator;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * A span on a thread.
 *
 * @param endNs {@link #NEVER} = it has none
 * @param end its end; null if that has only a time
 * @param ordinal counts the slices in the order of the files
 */
public record MergedSlice(
        OptionalInt pid,
        OptionalInt tid,
        long startNs,
        long endNs,
        TrackEvent.Builder begin,
        TrackEvent.@Nullable Builder end,
        long ordinal) {
    public static final long NEVER = Long.MAX_VALUE;

    /** In order of time, a parent before its children. */
    static final Comparator<MergedSlice> ORDER = Comparator.comparingLong(MergedSlice::startNs)
            .thenComparing(Comparator.comparingLong(MergedSlice::endNs).reversed())
            .thenComparingLong(MergedSlice::ordinal);
}
