package dev.probestream.convert.merge.track;

import dev.probestream.schema.perfetto.TrackEvent;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** The tracks of one thread: on each, spans nest. The end of a span is written when the next one begins after it. */
final class ThreadLanes {
    /** More of them show nothing to anybody: what does not nest even so is left to the viewer on the last. */
    private static final int MAX_LANES = 64;

    private final MergedPackets packets;
    private final List<Lane> lanes = new ArrayList<>();

    ThreadLanes(MergedPackets packets) {
        this.packets = packets;
    }

    private record Open(long trackUuid, MergedSlice slice) {}

    private static final class Lane {
        private final Deque<Open> open = new ArrayDeque<>();
        private long lastStartNs = Long.MIN_VALUE;

        boolean takes(MergedSlice slice) {
            if (slice.startNs() < lastStartNs) {
                return false;
            }
            for (Open candidate : open) {
                if (candidate.slice.endNs() > slice.startNs()) {
                    return candidate.slice.endNs() >= slice.endNs();
                }
            }
            return true;
        }
    }

    /** The first on which it nests. */
    int laneFor(MergedSlice slice) {
        for (int lane = 0; lane < lanes.size(); lane++) {
            if (lanes.get(lane).takes(slice)) {
                return lane;
            }
        }
        if (lanes.size() < MAX_LANES) {
            lanes.add(new Lane());
        }
        return lanes.size() - 1;
    }

    /** Ends what is over on that lane, and notes that the slice begins there. */
    void begin(int lane, long trackUuid, MergedSlice slice) throws IOException {
        Lane chosen = lanes.get(lane);
        while (!chosen.open.isEmpty() && chosen.open.element().slice.endNs() <= slice.startNs()) {
            end(chosen.open.pop());
        }
        chosen.open.push(new Open(trackUuid, slice));
        chosen.lastStartNs = slice.startNs();
    }

    void finish() throws IOException {
        for (Lane lane : lanes) {
            while (!lane.open.isEmpty()) {
                end(lane.open.pop());
            }
        }
    }

    private void end(Open ended) throws IOException {
        MergedSlice slice = ended.slice;
        if (slice.endNs() == MergedSlice.NEVER) {
            return;
        }
        TrackEvent.Builder end =
                slice.end() == null ? TrackEvent.newBuilder().setType(TrackEvent.Type.TYPE_SLICE_END) : slice.end();
        packets.event(slice.endNs(), end.setTrackUuid(ended.trackUuid).build());
    }
}
