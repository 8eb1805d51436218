package dev.probestream.sink.finish;

import dev.probestream.convert.Conversion;
import dev.probestream.convert.ConversionOutcome;
import dev.probestream.convert.ConversionProgress;
import dev.probestream.convert.RecordingRange;
import dev.probestream.convert.assemble.EventCounts;
import dev.probestream.sink.position.FinishedName;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Writes one trace of a segment: {@code CAPTUREID/TIME_cCAPTUREID-pPARTITION-FIRSTOFFSET-LASTOFFSET.ENDING}. */
final class TraceMaker {
    private final StagingFolder staging;
    private final String ending;

    TraceMaker(StagingFolder staging, String ending) {
        this.staging = staging;
        this.ending = ending;
    }

    /** Writes the trace into the staging folder; returns warnings. */
    List<String> make(SegmentRecordings recordings, ConversionProgress progress) throws IOException {
        Path folder = staging.prepare(String.valueOf(recordings.segment().captureId()));
        Path trace = folder.resolve(FinishedName.timed(recordings.segment()) + ending);
        ConversionOutcome outcome = Conversion.run(recordings.all(), trace, timeRange(recordings), progress);
        EventCounts events = outcome.events();
        recordings.requireAll(events.written() + events.notShown());
        return warnings(events);
    }

    /** The time range of the segment, so that a viewer shows no empty hours around it. */
    private static RecordingRange timeRange(SegmentRecordings recordings) {
        long fromNs =
                Math.min(recordings.segment().startNs(), recordings.metadata().earliestNs());
        long toNs = Math.max(recordings.segment().endNs(), recordings.metadata().latestNs()) + 1;
        return new RecordingRange(
                recordings.isFirst() ? Optional.empty() : Optional.of(RecordingRange.Bound.monotonic(fromNs)),
                recordings.isLast() ? Optional.empty() : Optional.of(RecordingRange.Bound.monotonic(toNs)),
                Set.of());
    }

    private static List<String> warnings(EventCounts events) {
        List<String> warnings = new ArrayList<>();
        add(warnings, events.lost(), "events were lost while they were captured; the track \"Capture\" shows when");
        add(warnings, events.ofUnknownProbe(), "events belong to probes that the metadata topic does not describe");
        add(warnings, events.withUnknownStack(), "events have stacks that are not in the metadata topic");
        add(warnings, events.notShown(), "events cannot be shown in a trace: nested too deep or overlapping too often");
        return warnings;
    }

    private static void add(List<String> warnings, long count, String what) {
        if (count > 0) {
            warnings.add(count + " " + what);
        }
    }
}
