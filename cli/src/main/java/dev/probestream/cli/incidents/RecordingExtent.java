package dev.probestream.cli.incidents;

import dev.probestream.schema.EventView;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.Clock;
import dev.probestream.schema.recording.RecordingHandler;
import dev.probestream.schema.recording.RecordingReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;

/** When the events of a recording happened, on the wall clock, and where. */
final class RecordingExtent implements RecordingHandler {
    private static final long NS_PER_S = 1_000_000_000L;

    private String host = "";
    private long events;
    private long toRealtimeNs;
    private long fromNs = Long.MAX_VALUE;
    private long toNs = Long.MIN_VALUE;

    private RecordingExtent() {}

    static RecordingExtent of(Path recording) throws IOException {
        RecordingExtent extent = new RecordingExtent();
        RecordingReader.read(recording, extent);
        return extent;
    }

    @Override
    public void capture(Capture capture) {
        host = capture.getHost();
        toRealtimeNs = capture.getRealtimeNs() - capture.getMonotonicNs();
    }

    @Override
    public void clock(Clock clock) {
        toRealtimeNs = clock.getRealtimeNs() - clock.getMonotonicNs();
    }

    @Override
    public void event(EventView event) {
        events++;
        fromNs = Math.min(fromNs, event.timestampNs() + toRealtimeNs);
        toNs = Math.max(toNs, event.timestampNs() + Math.max(0, event.durationNs()) + toRealtimeNs);
    }

    String host() {
        return host;
    }

    long events() {
        return events;
    }

    /** Of the first event; only if there is one. */
    Instant from() {
        return instant(fromNs);
    }

    /** The latest end of an event; only if there is one. */
    Instant to() {
        return instant(toNs);
    }

    private static Instant instant(long ns) {
        return Instant.ofEpochSecond(Math.floorDiv(ns, NS_PER_S), Math.floorMod(ns, NS_PER_S));
    }
}
