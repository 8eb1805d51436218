package dev.probestream.convert.merge.track;

import dev.probestream.convert.perfetto.PerfettoWriter;
import dev.probestream.schema.perfetto.CounterDescriptor;
import dev.probestream.schema.perfetto.ProcessDescriptor;
import dev.probestream.schema.perfetto.ThreadDescriptor;
import dev.probestream.schema.perfetto.TrackDescriptor;
import java.io.IOException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;

/**
 * The tracks of merged events, described when they are first asked for. They stand below the recording's tracks of the
 * same process or thread, never in them: two descriptions of one thread would make two threads of it, and spans of two
 * sources would not nest.
 */
public final class MergedTracks {
    public static final String OWN_TRACE = "own trace";

    /** Of so many ids the description is remembered; of others it is written again, which does no harm. */
    private static final int REMEMBERED_IDS = 1 << 16;

    private final PerfettoWriter writer;
    private final MergedPackets packets;
    private final MergedTaskNames names;
    private final Set<Long> described = new HashSet<>();
    private final Map<Long, Boolean> describedIds = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Boolean> eldest) {
            return size() > REMEMBERED_IDS;
        }
    };

    public MergedTracks(PerfettoWriter writer, MergedPackets packets, MergedTaskNames names) {
        this.writer = writer;
        this.packets = packets;
        this.names = names;
    }

    /** Of a thread's own trace; lanes above 0 are for what overlaps. */
    public long thread(OptionalInt pid, OptionalInt tid, int lane) throws IOException {
        if (pid.isEmpty() || tid.isEmpty()) {
            return global(OWN_TRACE, lane);
        }
        long uuid = TrackIds.of("thread " + pid.getAsInt() + '/' + tid.getAsInt() + ' ' + lane);
        if (described.add(uuid)) {
            packets.track(TrackDescriptor.newBuilder()
                    .setUuid(uuid)
                    .setParentUuid(parentThread(pid.getAsInt(), tid.getAsInt()))
                    .setName(lane == 0 ? OWN_TRACE : OWN_TRACE + ", overlapping"));
        }
        return uuid;
    }

    private long global(String name, int lane) throws IOException {
        long uuid = TrackIds.of("global " + name + ' ' + lane);
        if (described.add(uuid)) {
            packets.track(TrackDescriptor.newBuilder().setUuid(uuid).setName(name));
        }
        return uuid;
    }

    /** Of what a process reports about itself. */
    public long metadata(OptionalInt pid) throws IOException {
        if (pid.isEmpty()) {
            return global("metadata", 0);
        }
        return child("metadata", pid, "metadata");
    }

    /** Of events under an id; those of the same categories are lanes of one track. */
    public long async(OptionalInt pid, String key, String categories) throws IOException {
        long uuid = TrackIds.of(key);
        if (describedIds.put(uuid, true) == null) {
            TrackDescriptor.Builder track =
                    TrackDescriptor.newBuilder().setUuid(uuid).setName(categories);
            if (pid.isPresent()) {
                track.setParentUuid(parentProcess(pid.getAsInt()));
            }
            packets.track(track);
        }
        return uuid;
    }

    /** Of one series of a counter. */
    public long counter(OptionalInt pid, String name) throws IOException {
        long uuid = TrackIds.of("counter " + pid + ' ' + name);
        if (described.add(uuid)) {
            TrackDescriptor.Builder track =
                    TrackDescriptor.newBuilder().setUuid(uuid).setName(name).setCounter(CounterDescriptor.newBuilder());
            if (pid.isPresent()) {
                track.setParentUuid(parentProcess(pid.getAsInt()));
            }
            packets.track(track);
        }
        return uuid;
    }

    private long child(String what, OptionalInt pid, String name) throws IOException {
        long uuid = TrackIds.of(what + ' ' + pid.getAsInt());
        if (described.add(uuid)) {
            packets.track(TrackDescriptor.newBuilder()
                    .setUuid(uuid)
                    .setParentUuid(parentProcess(pid.getAsInt()))
                    .setName(name));
        }
        return uuid;
    }

    /** The recording's track of the process, or one of ours when it has none. */
    public long parentProcess(int pid) throws IOException {
        long recorded = writer.processTrackUuid(pid);
        if (recorded != 0) {
            return recorded;
        }
        long uuid = TrackIds.of("process " + pid);
        if (described.add(uuid)) {
            packets.track(TrackDescriptor.newBuilder()
                    .setUuid(uuid)
                    .setProcess(ProcessDescriptor.newBuilder().setPid(pid).setProcessName(names.process(pid))));
        }
        return uuid;
    }

    public long parentThread(int pid, int tid) throws IOException {
        long recorded = writer.threadTrackUuid(pid, tid);
        if (recorded != 0) {
            return recorded;
        }
        long uuid = TrackIds.of("thread " + pid + '/' + tid);
        if (described.add(uuid)) {
            packets.track(TrackDescriptor.newBuilder()
                    .setUuid(uuid)
                    .setParentUuid(parentProcess(pid))
                    .setThread(ThreadDescriptor.newBuilder()
                            .setPid(pid)
                            .setTid(tid)
                            .setThreadName(names.thread(pid, tid))));
        }
        return uuid;
    }
}
