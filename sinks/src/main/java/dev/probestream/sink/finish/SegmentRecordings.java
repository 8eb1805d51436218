package dev.probestream.sink.finish;

import dev.probestream.sink.metadata.MetadataRecording;
import dev.probestream.sink.segment.Segment;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The input of a segment's files.
 *
 * @param events the recordings of its events, in order
 * @param isMetadataNew whether metadata has arrived since the capture's tables were written
 * @param isLast whether it is the last of the capture, so that it includes the capture's end
 */
public record SegmentRecordings(
        Segment segment, MetadataRecording metadata, List<Path> events, boolean isMetadataNew, boolean isLast) {
    public SegmentRecordings {
        events = List.copyOf(events);
    }

    /** The metadata comes first: a single pass must read a probe before its events. */
    List<Path> all() {
        List<Path> all = new ArrayList<>();
        all.add(metadata.path());
        all.addAll(events);
        return all;
    }

    /** @throws IOException if a conversion wrote another number of events than the segment has */
    void requireAll(long converted) throws IOException {
        if (converted != segment.events()) {
            throw new IOException("cannot convert " + events + ": " + converted + " events were converted, but "
                    + segment.events() + " were buffered; the events are still in the topic: start the sink again");
        }
    }

    /** Whether it is the first of the capture. */
    boolean isFirst() {
        return segment.firstSequence() == 0;
    }
}
