package dev.probestream.convert.merge.json;

import com.fasterxml.jackson.databind.JsonNode;
import dev.probestream.convert.merge.track.MergedPackets;
import dev.probestream.convert.merge.track.MergedTracks;
import dev.probestream.schema.perfetto.TrackEvent;
import java.io.IOException;
import java.util.Map;
import java.util.Set;

/** Counter events: each number among the args is a series, and has a track. */
final class JsonCounters {
    private final MergedPackets packets;
    private final MergedTracks tracks;

    JsonCounters(MergedPackets packets, MergedTracks tracks) {
        this.packets = packets;
        this.tracks = tracks;
    }

    /** False = it has no numbers. */
    boolean put(JsonEvent event, Set<String> placed, long timestampNs) throws IOException {
        boolean isFirst = true;
        String id = event.text(JsonEvent.ID);
        String name = id.isEmpty() ? event.name() : event.name() + " " + id;
        for (Map.Entry<String, JsonNode> series :
                event.members().path(JsonEvent.ARGS).properties()) {
            JsonNode value = series.getValue();
            if (!value.isNumber()) {
                continue;
            }
            // The first one carries the whole event beside its value.
            TrackEvent.Builder made = isFirst
                    ? JsonTrackEvents.of(event, TrackEvent.Type.TYPE_COUNTER, placed)
                    : TrackEvent.newBuilder().setType(TrackEvent.Type.TYPE_COUNTER);
            isFirst = false;
            if (value.isIntegralNumber() && value.canConvertToLong()) {
                made.setCounterValue(value.longValue());
            } else {
                made.setDoubleCounterValue(value.doubleValue());
            }
            long uuid = tracks.counter(event.pid(), name + " " + series.getKey());
            packets.event(timestampNs, made.setTrackUuid(uuid).build());
        }
        return !isFirst;
    }
}
