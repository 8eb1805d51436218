package dev.probestream.convert;

import dev.probestream.convert.intake.EventExtent;
import dev.probestream.convert.intake.Window;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.recording.ReadOutcome;
import dev.probestream.schema.recording.RecordingHandler;
import dev.probestream.schema.recording.RecordingReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What is read of a recording: all of it, or what comes behind one of its Keyframes.
 *
 * @param file the recording
 * @param fromNs it is read from the last Keyframe at this time or before, on its host's CLOCK_MONOTONIC; {@link
 *     Long#MIN_VALUE} = from its beginning
 */
record RecordingPart(Path file, long fromNs) {
    /**
     * Of a time range so much is read that comes before it. Requests and connections that were in progress for longer are
     * without their beginning.
     */
    static final long LEAD_NS = 60_000_000_000L;

    /** Smaller files are read from their beginning: that takes about a second, and nothing is without its beginning. */
    static final long MIN_CUT_BYTES = 64 << 20;

    static RecordingPart whole(Path file) {
        return new RecordingPart(file, Long.MIN_VALUE);
    }

    /**
     * The parts of recordings that a time range needs.
     *
     * @param window on the clock of the first recording's host if {@code isOneClock}, else on that of each
     * @param minCutBytes files of this size are cut
     */
    static List<RecordingPart> of(List<Path> files, Window window, boolean isOneClock, long minCutBytes)
            throws IOException {
        List<RecordingPart> parts = new ArrayList<>();
        Optional<Capture> first = Optional.empty();
        for (Path file : files) {
            if (window.fromNs() == Long.MIN_VALUE || Files.size(file) < minCutBytes) {
                parts.add(whole(file));
                continue;
            }
            if (isOneClock && first.isEmpty()) {
                first = RecordingStart.of(files.get(0)).capture();
            }
            Optional<Capture> own = RecordingStart.of(file).capture();
            Optional<Capture> origin = isOneClock ? first : own;
            parts.add(
                    own.isPresent() && origin.isPresent()
                            ? new RecordingPart(
                                    file, window.fromNs() - LEAD_NS - EventExtent.clockShiftNs(own.get(), origin.get()))
                            : whole(file));
        }
        return parts;
    }

    ReadOutcome read(RecordingHandler handler) throws IOException {
        return RecordingReader.read(file, fromNs, handler);
    }
}
