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

/** Makes one trace of a slice: {@code CAPTUREID/TIME_cCAPTUREID-pPARTITION-FIRSTOFFSET-LASTOFFSET.ENDING}. */
final class TraceMaker {
    private final StagingFolder stage;
    private final String ending;

    TraceMaker(StagingFolder stage, String ending) {
        this.stage = stage;
        this.ending = ending;
    }

    /** Leaves the trace in the stage; returns what is to be said about it. */
    List<String> make(SegmentRecordings recordings, ConversionProgress progress) throws IOException {
        Path folder = stage.prepare(String.valueOf(recordings.slice().captureId()));
        Path trace = folder.resolve(FinishedName.timed(recordings.slice()) + ending);
        ConversionOutcome outcome = Conversion.run(recordings.all(), trace, window(recordings), progress);
        EventCounts events = outcome.events();
        recordings.requireAll(events.written() + events.notShown());
        return remarks(events);
    }

    /** Only what the slice holds, so that a viewer does not show hours of nothing around it. */
    private static RecordingRange window(SegmentRecordings recordings) {
        long fromNs =
                Math.min(recordings.slice().startNs(), recordings.metadata().earliestNs());
        long toNs = Math.max(recordings.slice().endNs(), recordings.metadata().latestNs()) + 1;
        return new RecordingRange(
                recordings.isFirst() ? Optional.empty() : Optional.of(RecordingRange.Bound.monotonic(fromNs)),
                recordings.isLast() ? Optional.empty() : Optional.of(RecordingRange.Bound.monotonic(toNs)),
                Set.of());
    }

    private static List<String> remarks(EventCounts events) {
        List<String> remarks = new ArrayList<>();
        add(remarks, events.lost(), "events were lost while they were captured; the track \"Capture\" shows when");
        add(remarks, events.ofUnknownProbe(), "events are of probes that the metadata topic does not describe");
        add(remarks, events.withUnknownStack(), "events have stacks that the metadata topic does not hold");
        add(remarks, events.notShown(), "events cannot be shown in a trace: nested too deep or overlapping too often");
        return remarks;
    }

    private static void add(List<String> remarks, long count, String what) {
        if (count > 0) {
            remarks.add(count + " " + what);
        }
    }
}
