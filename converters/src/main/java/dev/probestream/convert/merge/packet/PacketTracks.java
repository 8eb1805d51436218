package dev.probestream.convert.merge.packet;

import dev.probestream.schema.perfetto.TrackDescriptor;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** The tracks of a Perfetto trace, and whose they are. */
public final class PacketTracks {
    private static final int MAX_ANCESTORS = 64;

    private final Map<Long, TrackDescriptor> tracks = new LinkedHashMap<>();

    /** Later descriptions of a track add to it. */
    void add(TrackDescriptor track) {
        tracks.merge(
                track.getUuid(),
                track,
                (known, more) -> known.toBuilder().mergeFrom(more).build());
    }

    Collection<TrackDescriptor> all() {
        return tracks.values();
    }

    @Nullable
    TrackDescriptor find(long uuid) {
        return tracks.get(uuid);
    }

    /** Empty = it is of no process, or unknown. */
    OptionalInt pid(long uuid) {
        TrackDescriptor track = tracks.get(uuid);
        for (int i = 0; track != null && i < MAX_ANCESTORS; i++) {
            if (track.hasThread()) {
                return OptionalInt.of(track.getThread().getPid());
            }
            if (track.hasProcess()) {
                return OptionalInt.of(track.getProcess().getPid());
            }
            track = track.hasParentUuid() ? tracks.get(track.getParentUuid()) : null;
        }
        return OptionalInt.empty();
    }
}
