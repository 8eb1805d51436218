package dev.probestream.convert.timeline;

import dev.probestream.convert.intake.Window;
import dev.probestream.convert.shape.ArgumentShape;
import dev.probestream.convert.shape.LongMap;
import dev.probestream.convert.shape.NameTable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Everything about a recording except its events: who ran, what was probed, how the clocks stood. */
public final class Timeline {
    private final Window window;
    private final List<CaptureTracks> captures;
    private final LongMap<CaptureTracks> capturesById;
    private final ProbeShapes shapes;
    private final ProcessTracks.TrackNumbers numbers;
    private final long startNs;
    private final long endNs;
    private final long lost;

    Timeline(
            Window window,
            List<CaptureTracks> captures,
            LongMap<CaptureTracks> capturesById,
            ProbeShapes shapes,
            ProcessTracks.TrackNumbers numbers,
            long startNs,
            long endNs,
            long lost) {
        this.window = window;
        this.captures = List.copyOf(captures);
        this.capturesById = capturesById;
        this.shapes = shapes;
        this.numbers = numbers;
        this.startNs = startNs;
        this.endNs = endNs;
        this.lost = lost;
    }

    /** In the order in which they were met; empty if the recording has no record at all. */
    public List<CaptureTracks> captures() {
        return captures;
    }

    /** Neither a capture nor an event starts before it. CLOCK_MONOTONIC of the first capture's machine. */
    public long startNs() {
        return startNs;
    }

    /** No event ends after it. */
    public long endNs() {
        return endNs;
    }

    /** Whether that moment is in the time range. */
    public boolean covers(long atNs) {
        return window.overlaps(atNs, atNs);
    }

    /** The sum of the Loss records inside the window. */
    public long lost() {
        return lost;
    }

    public NameTable argumentNames() {
        return shapes.argumentNames;
    }

    /** How many probes there are in all captures. */
    public int probeCount() {
        return shapes.count();
    }

    /** How many arguments all probes have together. */
    public int argumentCount() {
        return shapes.argumentCount();
    }

    /** How many processes there are in all captures. */
    public int processCount() {
        return numbers.processes();
    }

    /** How many threads there are in all captures. */
    public int threadCount() {
        return numbers.threads();
    }

    /**
     * The arguments that stand on requests, the first of them on all events that belong to one, too; empty if there can be
     * none.
     */
    public List<ArgumentShape> requestArguments() {
        RequestShapes requests = shapes.requests();
        return requests == null ? List.of() : requests.all;
    }

    /** Null = there can be no requests. */
    @Nullable
    public RequestShapes requestShapes() {
        return shapes.requests();
    }

    /** An argument that any span may have beside those of its probe: why its end is missing. */
    public ArgumentShape incomplete() {
        return shapes.incomplete;
    }

    public Window window() {
        return window;
    }

    public CaptureTracks capture(long captureId) throws RecordingChangedException {
        CaptureTracks capture = capturesById.get(captureId);
        if (capture == null) {
            throw new RecordingChangedException("capture " + captureId);
        }
        return capture;
    }
}
