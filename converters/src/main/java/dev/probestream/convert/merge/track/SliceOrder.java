package dev.probestream.convert.merge.track;

import dev.probestream.schema.perfetto.TrackEvent;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * Brings the spans of merged files into the order of time, and each on a track where it nests. Files are nearly in order,
 * but a parent may come after its children; so some slices are held back. One that is later than that goes to a track of
 * its own.
 */
public final class SliceOrder {
    private static final int HELD_SLICES = 1 << 13;

    private final MergedPackets packets;
    private final MergedTracks tracks;
    private final PriorityQueue<MergedSlice> held = new PriorityQueue<>(MergedSlice.ORDER);
    private final Map<String, ThreadLanes> threads = new HashMap<>();

    public SliceOrder(MergedPackets packets, MergedTracks tracks) {
        this.packets = packets;
        this.tracks = tracks;
    }

    public void add(MergedSlice slice) throws IOException {
        held.add(slice);
        if (held.size() > HELD_SLICES) {
            release(held.remove());
        }
    }

    private void release(MergedSlice slice) throws IOException {
        String thread = slice.pid() + "/" + slice.tid();
        ThreadLanes lanes = threads.computeIfAbsent(thread, unseen -> new ThreadLanes(packets));
        int lane = lanes.laneFor(slice);
        long trackUuid = tracks.thread(slice.pid(), slice.tid(), lane);
        TrackEvent begin = slice.begin().setTrackUuid(trackUuid).build();
        lanes.begin(lane, trackUuid, slice);
        packets.event(slice.startNs(), begin);
    }

    public void finish() throws IOException {
        for (MergedSlice next = held.poll(); next != null; next = held.poll()) {
            release(next);
        }
        for (ThreadLanes lanes : threads.values()) {
            lanes.finish();
        }
    }
}
