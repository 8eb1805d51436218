package dev.probestream.convert.perfetto;

import dev.probestream.convert.shape.LongMap;
import dev.probestream.convert.timeline.RequestSpan;
import dev.probestream.schema.perfetto.TrackDescriptor;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The tracks of a process's requests. Those that overlap stand on tracks of the same name, which a viewer draws as the
 * lanes of one; a track is used again when its last request is over, so that there are no more of them than there were
 * requests at a time.
 */
final class RequestTracks {
    /** One lane. */
    private static final class Lane {
        private final long uuid;
        private long freeFromNs;

        Lane(long uuid) {
            this.uuid = uuid;
        }
    }

    private final MetadataSequence metadata;
    private final DerivedSequence sequence;
    private final Uuids uuids;
    private final long[] processUuids;
    private final Annotations annotations;

    /** By the number of the track they make up. */
    private final LongMap<List<Lane>> lanes = new LongMap<>();

    RequestTracks(
            MetadataSequence metadata,
            DerivedSequence sequence,
            Uuids uuids,
            long[] processUuids,
            Annotations annotations) {
        this.metadata = metadata;
        this.sequence = sequence;
        this.uuids = uuids;
        this.processUuids = processUuids;
        this.annotations = annotations;
    }

    void put(RequestSpan request) throws IOException {
        Lane lane = lane(request);
        lane.freeFromNs = request.isOpen() ? Long.MAX_VALUE : Math.max(lane.freeFromNs, request.endNs());
        sequence.request(lane.uuid, request, annotations);
    }

    /** Of those that are free the one that was so for the shortest time: few lanes, as requests come by their ends. */
    private Lane lane(RequestSpan request) throws IOException {
        List<Lane> ofSide = lanesOf(request);
        Lane best = null;
        for (Lane lane : ofSide) {
            if (lane.freeFromNs <= request.startNs() && (best == null || lane.freeFromNs > best.freeFromNs)) {
                best = lane;
            }
        }
        if (best == null) {
            best = new Lane(uuids.next());
            ofSide.add(best);
            metadata.write(
                    TrackDescriptor.newBuilder()
                            .setUuid(best.uuid)
                            .setParentUuid(
                                    processUuids[request.thread().process().index()])
                            .setName(request.trackName()),
                    request.startNs());
        }
        return best;
    }

    private List<Lane> lanesOf(RequestSpan request) {
        List<Lane> known = lanes.get(request.trackNumber());
        if (known == null) {
            known = new ArrayList<>();
            lanes.put(request.trackNumber(), known);
        }
        return known;
    }
}
