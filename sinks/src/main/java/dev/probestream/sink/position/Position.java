package dev.probestream.sink.position;

import java.util.List;
import java.util.Optional;

/**
 * What the finished files hold of a partition.
 *
 * @param lowWater every event at a lower offset is in finished files, or was left out for good
 * @param captures those of which finished files hold more than that, or of which more events may come
 */
public record Position(long lowWater, List<CapturePosition> captures) {
    public Position {
        captures = List.copyOf(captures);
    }

    /** What the files hold of one capture, if they hold any that is not known to be done. */
    public Optional<CapturePosition> of(long captureId) {
        return captures.stream()
                .filter(capture -> capture.captureId() == captureId)
                .findFirst();
    }

    /** The capture's events at lower offsets are in finished files. */
    long finishedUpTo(long captureId) {
        return of(captureId).map(CapturePosition::nextOffset).orElse(lowWater);
    }
}
