package dev.probestream.convert.perfetto;

import dev.probestream.convert.timeline.ProcessTrack;
import dev.probestream.convert.timeline.TraceWriter;
import dev.probestream.schema.perfetto.TrackDescriptor;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The tracks of a process, or of the captures, that show when probes were not watched: one for each set, or single probe. */
final class GapTracks {
    private final MetadataSequence metadata;
    private final Uuids uuids;
    private final long[] processUuids;
    private final CaptureTrack captureTrack;
    private final Map<String, Lane> lanes = new HashMap<>();

    /** A track, and until when something is on it. */
    private static final class Lane {
        private final long uuid;
        private long filledUntilNs = Long.MIN_VALUE;

        Lane(long uuid) {
            this.uuid = uuid;
        }
    }

    GapTracks(MetadataSequence metadata, Uuids uuids, long[] processUuids, CaptureTrack captureTrack) {
        this.metadata = metadata;
        this.uuids = uuids;
        this.processUuids = processUuids;
        this.captureTrack = captureTrack;
    }

    void put(TraceWriter.GapMark gap) throws IOException {
        ProcessTrack process = gap.process();
        String key = (process == null ? -1 : process.index()) + " " + gap.what();
        Lane lane = lanes.get(key);
        if (lane == null) {
            lane = new Lane(uuids.next());
            lanes.put(key, lane);
            metadata.write(
                    TrackDescriptor.newBuilder()
                            .setUuid(lane.uuid)
                            .setParentUuid(parent(process))
                            .setName("not watched: " + gap.what()),
                    gap.fromNs());
        }
        long fromNs = Math.max(gap.fromNs(), lane.filledUntilNs); // slices of one track must not overlap
        if (fromNs < gap.toNs()) {
            lane.filledUntilNs = gap.toNs();
            captureTrack.gap(lane.uuid, gap, fromNs);
        }
    }

    private long parent(@Nullable ProcessTrack process) {
        return process == null ? captureTrack.uuid() : processUuids[process.index()];
    }
}
