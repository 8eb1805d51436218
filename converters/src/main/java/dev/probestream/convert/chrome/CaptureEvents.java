package dev.probestream.convert.chrome;

import dev.probestream.convert.timeline.CaptureTracks;
import dev.probestream.convert.timeline.Timeline;
import dev.probestream.convert.timeline.TraceWriter;
import dev.probestream.schema.format.FormatVersion;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.CaptureEnd;
import java.io.IOException;

/** Writes the captures themselves: when they began and ended, what they lost and did not watch, what they cost, and where they were taken. */
final class CaptureEvents {
    private static final byte[] CATEGORY = JsonBuffer.ascii(",\"cat\":\"capture\"");

    private final EventStream events;
    private final Timeline timeline;

    CaptureEvents(EventStream events, Timeline timeline) {
        this.events = events;
        this.timeline = timeline;
    }

    /** Moments outside the time range are left out: they would stretch what a viewer shows. */
    void start(Names names) throws IOException {
        names.process(ChromeIds.CAPTURE_PID, "Capture", Names.CAPTURE_SORT_INDEX);
        for (CaptureTracks capture : timeline.captures()) {
            long startNs = capture.traceNs(capture.capture().getMonotonicNs());
            if (capture.isDescribed() && timeline.covers(startNs)) {
                JsonBuffer event = begin("capture started", 'p', startNs);
                describe(event, capture.capture());
                if (!capture.probesWithDerivedEnds().isEmpty()) {
                    member(event, "derived_ends", String.join(", ", capture.probesWithDerivedEnds()));
                }
                end(event);
            }
            if (capture.end().isPresent()) {
                ended(capture, capture.end().get());
            }
        }
    }

    private void ended(CaptureTracks capture, CaptureEnd end) throws IOException {
        long endNs = capture.traceNs(end.getMonotonicNs());
        if (timeline.covers(endNs)) {
            JsonBuffer event = begin("capture ended", 'p', endNs);
            member(event, "reason", end.getReason());
            member(event, "delivered", end.getDelivered());
            member(event, "lost", end.getLost());
            end(event);
        }
    }

    void loss(TraceWriter.LossMark loss) throws IOException {
        JsonBuffer event = begin("lost " + loss.count() + " events", 'g', loss.fromNs());
        member(event, "probe", loss.probe());
        member(event, "reason", loss.reason());
        member(event, "count", loss.count());
        member(event, "within_ns", loss.toNs() - loss.fromNs());
        if (loss.cpu() >= 0) {
            member(event, "cpu", loss.cpu());
        }
        end(event);
    }

    /** As a pair b, e of the process: gaps of several sets overlap. */
    void gap(TraceWriter.GapMark gap, int pid, long id) throws IOException {
        String name = gap.what() + " not watched";
        JsonBuffer event = beginGap('b', name, gap.fromNs(), pid, id);
        event.raw(JsonBuffer.ascii(",\"args\":{\"reason\":"));
        event.text(gap.reason());
        end(event);
        beginGap('e', name, gap.toNs(), pid, id);
        events.end();
    }

    private JsonBuffer beginGap(char phase, String name, long timestampNs, int pid, long id) {
        JsonBuffer event = events.begin(phase, name);
        event.raw(CATEGORY);
        events.time(timestampNs);
        events.process(pid);
        events.thread(pid);
        event.raw(JsonBuffer.ascii(",\"id2\":{\"local\":"));
        event.hexText(id);
        event.raw('}');
        return event;
    }

    void counter(String name, String unit, long atNs, double value) throws IOException {
        JsonBuffer event = events.begin('C', name);
        event.raw(CATEGORY);
        events.time(atNs);
        events.process(ChromeIds.CAPTURE_PID);
        events.thread(ChromeIds.CAPTURE_PID);
        event.raw(JsonBuffer.ascii(",\"args\":{"));
        event.text(unit);
        event.raw(':');
        event.raw(JsonBuffer.ascii(Double.toString(value)));
        end(event);
    }

    /** What follows the events in the file. */
    byte[] otherData() {
        JsonBuffer json = new JsonBuffer(1 << 10);
        json.raw(JsonBuffer.ascii(
                "\"displayTimeUnit\":\"ns\",\n\"otherData\":{\"clock\":\"CLOCK_MONOTONIC\",\"lost\":"));
        json.safeNumber(timeline.lost());
        json.raw(JsonBuffer.ascii(",\"captures\":["));
        boolean isFirst = true;
        for (CaptureTracks capture : timeline.captures()) {
            json.raw(isFirst ? '{' : ',');
            if (!isFirst) {
                json.raw('{');
            }
            isFirst = false;
            json.raw(JsonBuffer.ascii("\"kernel_version\":"));
            json.text(capture.capture().getKernelVersion());
            describe(json, capture.capture());
            json.raw('}');
        }
        json.raw(JsonBuffer.ascii("]}"));
        return json.toByteArray();
    }

    private static void describe(JsonBuffer json, Capture capture) {
        member(json, "host", capture.getHost());
        member(json, "kernel", capture.getKernelName() + " " + capture.getKernelRelease());
        member(json, "machine", capture.getMachine());
        member(json, "boot_id", capture.getBootId());
        member(json, "command", String.join(" ", capture.getCommand()));
        member(json, "probestream", capture.getToolVersion());
        member(json, "format", FormatVersion.CURRENT.toString());
        member(json, "monotonic_ns", capture.getMonotonicNs());
        member(json, "realtime_ns", capture.getRealtimeNs());
    }

    private JsonBuffer begin(String name, char scope, long timestampNs) {
        JsonBuffer event = events.begin('i', name);
        event.raw(CATEGORY);
        events.time(timestampNs);
        events.process(ChromeIds.CAPTURE_PID);
        events.thread(ChromeIds.CAPTURE_PID);
        event.raw(JsonBuffer.ascii(",\"s\":\""));
        event.raw(scope);
        event.raw(JsonBuffer.ascii("\",\"args\":{\"category\":\"capture\""));
        return event;
    }

    private void end(JsonBuffer event) throws IOException {
        event.raw('}');
        events.end();
    }

    private static void member(JsonBuffer json, String key, String value) {
        key(json, key);
        json.text(value);
    }

    private static void member(JsonBuffer json, String key, long value) {
        key(json, key);
        json.safeNumber(value);
    }

    private static void key(JsonBuffer json, String key) {
        json.raw(',');
        json.text(key);
        json.raw(':');
    }
}
