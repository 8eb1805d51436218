package dev.probestream.convert;

import dev.probestream.convert.assemble.EventCounts;
import dev.probestream.convert.timeline.Timeline;
import dev.probestream.convert.parquet.ParquetTables;
import dev.probestream.schema.recording.Damage;
import dev.probestream.schema.recording.ReadOutcome;
import java.util.ArrayList;
import java.util.List;

/** Says in words what a person should know about a conversion. */
final class ConversionWarnings {
    private static final int MAX_DAMAGES_TOLD = 3;

    /** What chrome://tracing was seen to bear. */
    private static final long MAX_CHROME_EVENTS = 1_000_000;

    private static final long MAX_CHROME_BYTES = 256_000_000;

    private final List<String> remarks = new ArrayList<>();

    private ConversionWarnings() {}

    static List<String> of(
            List<ReadOutcome> inputs, Timeline timeline, EventCounts events, TraceFormat format, long sizeBytes) {
        ConversionWarnings remarks = new ConversionWarnings();
        inputs.forEach(remarks::input);
        timeline.captures()
                .forEach(capture -> remarks.capture(
                        capture.capture().getCaptureId(),
                        capture.capture().getHost(),
                        capture.isDescribed(),
                        capture.end().isPresent()));
        remarks.eventsOfTrace(events);
        remarks.size(events, format, sizeBytes);
        return remarks.remarks;
    }

    static List<String> ofTables(
            List<ReadOutcome> inputs, List<ParquetTables.CaptureNote> captures, EventCounts events) {
        ConversionWarnings remarks = new ConversionWarnings();
        inputs.forEach(remarks::input);
        captures.forEach(capture ->
                remarks.capture(capture.captureId(), capture.host(), capture.isDescribed(), capture.isEnded()));
        remarks.eventsOfTables(events);
        return remarks.remarks;
    }

    private void input(ReadOutcome input) {
        if (input.records() == 0) {
            remarks.add(input.file() + " holds no records");
        }
        for (Damage damage : input.damages().stream().limit(MAX_DAMAGES_TOLD).toList()) {
            remarks.add(input.file() + " is damaged at " + damage + "; what could be read was converted");
        }
        if (input.damageCount() > MAX_DAMAGES_TOLD) {
            remarks.add(input.file() + " is damaged in " + (input.damageCount() - MAX_DAMAGES_TOLD) + " more places; "
                    + input.skippedBytes() + " bytes could not be read in all");
        }
    }

    private void capture(long captureId, String host, boolean isDescribed, boolean isEnded) {
        if (!isDescribed) {
            remarks.add("the record that describes capture " + captureId
                    + " is missing: host and wall-clock time are unknown");
        }
        if (!isEnded) {
            remarks.add("the capture on " + host + " has no end record: it was cut off, or is still running");
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
        add(events.lost(), "events were lost while recording; the table losses says when");
        add(events.incomplete(), "spans have no end; their duration_ns is NULL");
        events(events);
    }

    private void events(EventCounts events) {
        add(events.keptWhole(), "spans reach over an edge of the slice and were kept whole");
        add(events.ofUnknownProbe(), "events are of probes that the recording does not describe");
        add(events.withUnknownStack(), "events have stacks that the recording does not hold");
    }

    private void size(EventCounts events, TraceFormat format, long sizeBytes) {
        boolean isTooBig = events.written() > MAX_CHROME_EVENTS || sizeBytes > MAX_CHROME_BYTES;
        if (format != TraceFormat.PERFETTO && isTooBig) {
            remarks.add("chrome://tracing hardly opens so large a file: convert a shorter slice (--from, --to), or to"
                    + " .pftrace for ui.perfetto.dev");
        }
    }

    private void add(long count, String what) {
        if (count > 0) {
            remarks.add(count + " " + what);
        }
    }
}
