package dev.probestream.convert.merge.packet;

import dev.probestream.convert.merge.track.EventSelection;
import dev.probestream.convert.merge.track.MergedTaskNames;
import dev.probestream.convert.timeline.Timeline;
import dev.probestream.schema.perfetto.TracePacket;
import dev.probestream.schema.perfetto.TrackDescriptor;
import dev.probestream.schema.perfetto.TrackEvent;
import java.util.OptionalLong;

/** The first pass over a Perfetto trace: adds its packets to the selection, and collects tracks and names. */
public final class PacketFirstPass {
    private static final int NO_PID = -1;

    private final int file;
    private final PacketPass reading;
    private final EventSelection selection;
    private final MergedTaskNames names;
    private final PacketTracks tracks = new PacketTracks();
    private long untimed;
    private long others;
    private long events;

    /** @param file counts the files */
    public PacketFirstPass(int file, Timeline timeline, EventSelection selection, MergedTaskNames names) {
        this.file = file;
        this.reading = new PacketPass(timeline);
        this.selection = selection;
        this.names = names;
    }

    public void packet(TracePacket packet) {
        reading.next(packet);
        OptionalLong atNs = reading.monotonicNs();
        if (packet.hasTrackDescriptor()) {
            learn(packet.getTrackDescriptor());
        }
        if (packet.hasTimestamp() && atNs.isEmpty()) {
            untimed++;
        }
        boolean isEvent = packet.hasTrackEvent();
        events += isEvent ? 1 : 0;
        if (!isEvent && isContent(packet)) {
            others++;
        }
        if (atNs.isEmpty() || packet.hasTrackDescriptor()) {
            selection.always();
        } else if (isEvent) {
            event(packet, atNs.getAsLong());
        } else {
            selection.ofAllProcesses(atNs.getAsLong());
        }
    }

    private void event(TracePacket packet, long atNs) {
        TrackEvent event = packet.getTrackEvent();
        long track = reading.trackUuid(packet);
        int pid = tracks.pid(track).orElse(NO_PID);
        String key = "packet " + file + ' ' + track;
        switch (event.getType()) {
            case TYPE_SLICE_BEGIN -> selection.begin(pid, key, atNs);
            case TYPE_SLICE_END -> selection.end(pid, key, atNs);
            case TYPE_INSTANT, TYPE_COUNTER -> selection.complete(pid, atNs, atNs);
            case TYPE_UNSPECIFIED ->
                selection.complete(pid, atNs, atNs + event.getLegacyEvent().getDurationUs() * 1000);
        }
    }

    /** Whether it holds something that is neither an event nor about events. */
    static boolean isContent(TracePacket packet) {
        return switch (packet.getDataCase()) {
            case FTRACE_EVENTS, PROCESS_TREE, TRACE_STATS, SYSTEM_INFO, PERF_SAMPLE -> true;
            case CLOCK_SNAPSHOT, TRACK_EVENT, COMPRESSED_PACKETS, TRACK_DESCRIPTOR, TRACE_UUID -> false;
            case DATA_NOT_SET -> !packet.getUnknownFields().asMap().isEmpty();
        };
    }

    private void learn(TrackDescriptor track) {
        tracks.add(track);
        if (track.hasThread() && track.getThread().hasThreadName()) {
            names.thread(
                    track.getThread().getPid(),
                    track.getThread().getTid(),
                    track.getThread().getThreadName());
        }
        if (track.hasProcess() && track.getProcess().hasProcessName()) {
            names.process(track.getProcess().getPid(), track.getProcess().getProcessName());
        }
    }

    public PacketTracks tracks() {
        return tracks;
    }

    public long events() {
        return events;
    }

    /** Packets whose time is of a clock that nothing explains. */
    public long untimed() {
        return untimed;
    }

    /** Packets of other content than events. */
    public long others() {
        return others;
    }
}
