package dev.probestream.cli.hist;

import dev.probestream.collector.histogram.BucketRange;
import dev.probestream.collector.histogram.Bucketing;
import dev.probestream.collector.histogram.HistogramSpec;
import java.math.BigInteger;

/** Formats the bounds of buckets: {@code 4 -> 7}, {@code 1.02 us -> 2.05 us}. */
final class BucketText {
    private final Bucketing bucketing;
    private final boolean isDuration;

    BucketText(HistogramSpec spec) {
        this.bucketing = spec.bucketing();
        this.isDuration = spec.isOfDuration();
    }

    String of(int bucket) {
        BucketRange range = bucketing.range(bucket);
        return switch (range.kind()) {
            case UNREADABLE -> ValueText.UNREADABLE;
            case EVERYTHING -> "";
            case BELOW -> "... -> " + bound(range.upper());
            case ABOVE -> bound(range.lower()) + " -> ...";
            case BETWEEN ->
                range.lower().equals(range.upper())
                        ? bound(range.lower())
                        : bound(range.lower()) + " -> " + bound(range.upper());
        };
    }

    private String bound(BigInteger value) {
        return isDuration ? ValueText.duration(value.longValue()) : value.toString();
    }
}
