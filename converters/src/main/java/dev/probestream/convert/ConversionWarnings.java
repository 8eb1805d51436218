package dev.probestream.convert;

import dev.probestream.convert.assemble.EventCounts;
import dev.probestream.convert.intake.Window;
import dev.probestream.convert.parquet.ParquetTables;
import dev.probestream.convert.timeline.Timeline;
import dev.probestream.schema.recording.ReadOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** Makes the warnings of a conversion. */
final class ConversionWarnings {
    private static final int MAX_LISTED_DAMAGES = 3;

    /** What chrome://tracing was seen to bear. */
    private static final long MAX_CHROME_EVENTS = 1_000_000;

    private static final long MAX_CHROME_BYTES = 256_000_000;

    private final List<String> warnings = new ArrayList<>();

    private ConversionWarnings() {}

    static List<String> of(
            List<ReadOutcome> inputs, Timeline timeline, EventCounts events, TraceFormat format, long sizeBytes) {
        ConversionWarnings warnings = new ConversionWarnings();
        inputs.forEach(warnings::input);
        timeline.captures()
                .forEach(capture -> warnings.capture(
                        capture.capture().getCaptureId(),
                        capture.capture().getHost(),
                        capture.isDescribed(),
                        capture.end().isPresent()));
        warnings.range(
                timeline.window(),
                timeline.captures().stream()
                        .map(capture -> capture.end().stream()
                                .mapToLong(end -> capture.traceNs(end.getMonotonicNs()))
                                .findFirst()));
        warnings.eventsOfTrace(events);
        warnings.size(events, format, sizeBytes);
        return warnings.warnings;
    }

    static List<String> ofTables(
            List<ReadOutcome> inputs, Window window, List<ParquetTables.CaptureNote> captures, EventCounts events) {
        ConversionWarnings warnings = new ConversionWarnings();
        inputs.forEach(warnings::input);
        captures.forEach(capture -> warnings.capture(
                capture.captureId(),
                capture.host(),
                capture.isDescribed(),
                capture.endNs().isPresent()));
        warnings.range(window, captures.stream().map(ParquetTables.CaptureNote::endNs));
        warnings.eventsOfTables(events);
        return warnings.warnings;
    }

    private void input(ReadOutcome input) {
        if (input.unreadBytes() > 0) {
            warnings.add(input.file() + " was read from "
                    + Duration.ofNanos(RecordingPart.LEAD_NS).toSeconds()
                    + " s before the time range on: requests and connections that began earlier have no beginning");
        }
        if (input.records() == 0) {
            warnings.add(input.file() + " holds no records");
        }
        for (ReadOutcome.Damage damage :
                input.damages().stream().limit(MAX_LISTED_DAMAGES).toList()) {
            warnings.add(input.file() + " is damaged at " + damage + "; what could be read was converted");
        }
        if (input.damageCount() > MAX_LISTED_DAMAGES) {
            warnings.add(input.file() + " is damaged in " + (input.damageCount() - MAX_LISTED_DAMAGES)
                    + " more places; " + input.skippedBytes() + " bytes could not be read in all");
        }
    }

    private void capture(long captureId, String host, boolean isDescribed, boolean isEnded) {
        if (!isDescribed) {
            warnings.add("the record that describes capture " + captureId
                    + " is missing: host and wall-clock time are unknown");
        }
        if (!isEnded) {
            warnings.add("the capture on " + host + " has no end record: it was cut off, or is still running");
        }
    }

    /** @param ends when the captures ended, on the window's clock */
    private void range(Window window, Stream<OptionalLong> ends) {
        // A capture without an end record may have lasted longer than what is there of it.
        long lastEndNs = ends.mapToLong(end -> end.orElse(Long.MAX_VALUE)).max().orElse(Long.MAX_VALUE);
        if (window.fromNs() > lastEndNs) {
            warnings.add(String.format(
                    Locale.ROOT,
                    "the time range begins %.1f s after the end of the recording",
                    (window.fromNs() - lastEndNs) / 1e9));
        }
    }

    private void eventsOfTrace(EventCounts events) {
        add(events.lost(), "events were lost while recording; the track \"Capture\" shows when");
        add(events.incomplete(), "spans have no end of their own; they carry the argument \"incomplete\"");
        add(events.overlapping(), "spans overlap others of their thread and stand on tracks of their own");
        events(events);
        add(
                events.notShown(),
                "events cannot be shown: nested too deep, overlapping too often, before the boot, or context switches of"
                        + " a second capture");
    }

    private void eventsOfTables(EventCounts events) {
        add(events.lost(), "events were lost while recording; the table losses has their times");
        add(events.incomplete(), "spans have no end; their duration_ns is NULL");
        events(events);
    }

    private void events(EventCounts events) {
        add(events.keptWhole(), "spans reach over an edge of the time range and were kept whole");
        add(events.ofUnknownProbe(), "events are of probes that the recording does not describe");
        add(events.withUnknownStack(), "events have stacks that the recording does not hold");
    }

    private void size(EventCounts events, TraceFormat format, long sizeBytes) {
        boolean isTooBig = events.written() > MAX_CHROME_EVENTS || sizeBytes > MAX_CHROME_BYTES;
        if (format != TraceFormat.PERFETTO && isTooBig) {
            warnings.add(
                    "chrome://tracing may fail to open a file of this size: convert a shorter time range (--from, --to), or to"
                            + " .pftrace for ui.perfetto.dev");
        }
    }

    private void add(long count, String what) {
        if (count > 0) {
            warnings.add(count + " " + what);
        }
    }
}
