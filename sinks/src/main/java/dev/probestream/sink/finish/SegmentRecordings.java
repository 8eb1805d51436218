package dev.probestream.sink.finish;

import dev.probestream.sink.metadata.MetadataRecording;
import dev.probestream.sink.segment.Segment;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A slice with all that its files are made of.
 *
 * @param events the recordings of its events, in order
 * @param isMetadataNew whether the metadata says more than when the capture's tables were made
 * @param isLast whether it ends the capture, so that the end belongs into it
 */
public record SegmentRecordings(
        Segment slice, MetadataRecording metadata, List<Path> events, boolean isMetadataNew, boolean isLast) {
    public SegmentRecordings {
        events = List.copyOf(events);
    }

    /** Metadata in front: a single pass must know a probe before its events. */
    List<Path> all() {
        List<Path> all = new ArrayList<>();
        all.add(metadata.path());
        all.addAll(events);
        return all;
    }

    /** @throws IOException if a conversion read or wrote fewer events than the slice has, or more */
    void requireAll(long converted) throws IOException {
        if (converted != slice.events()) {
            throw new IOException("cannot convert " + events + ": it came to " + converted + " events where "
                    + slice.events() + " were written; the events are still in the topic: start the sink again");
        }
    }

    /** Whether it begins the capture. */
    boolean isFirst() {
        return slice.firstSequence() == 0;
    }
}
