package dev.probestream.convert.merge.json;

import com.fasterxml.jackson.databind.JsonNode;
import dev.probestream.convert.merge.track.MergedPackets;
import dev.probestream.convert.merge.track.MergedSlice;
import dev.probestream.convert.merge.track.MergedTracks;
import dev.probestream.convert.merge.track.SliceOrder;
import dev.probestream.convert.merge.track.TrackIds;
import dev.probestream.schema.perfetto.TrackEvent;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** JSON events as packets of a Perfetto trace, none left out and nothing of them. */
public final class JsonToPerfetto {
    /** An event without a time stands here. */
    private final long startNs;

    private final MergedPackets packets;
    private final MergedTracks tracks;
    private final SliceOrder slices;
    private final JsonCounters counters;

    /** The events B of each thread whose E is still to come. */
    private final Map<String, Deque<JsonEvent>> begun = new HashMap<>();

    private long ordinal;

    public JsonToPerfetto(MergedPackets packets, MergedTracks tracks, long startNs) {
        this.packets = packets;
        this.tracks = tracks;
        this.startNs = startNs;
        slices = new SliceOrder(packets, tracks);
        counters = new JsonCounters(packets, tracks);
    }

    public void event(JsonEvent event) throws IOException {
        switch (event.phase()) {
            case 'X' -> complete(event);
            case 'B' ->
                begun.computeIfAbsent(event.threadText(), thread -> new ArrayDeque<>())
                        .push(event);
            case 'E' -> end(event);
            case 'b', 'S' -> async(event, TrackEvent.Type.TYPE_SLICE_BEGIN);
            case 'e', 'F' -> async(event, TrackEvent.Type.TYPE_SLICE_END);
            case 'n', 'T', 'p' -> async(event, TrackEvent.Type.TYPE_INSTANT);
            case 'C' -> {
                if (!counters.put(event, placed(event), timestampNs(event))) {
                    instant(event);
                }
            }
            case 's', 't', 'f' -> flow(event);
            case 'M' -> metadata(event);
            default -> instant(event);
        }
    }

    private void complete(JsonEvent event) throws IOException {
        Set<String> placed = placedOnThread(event);
        boolean hasDuration =
                event.isExact(JsonEvent.DUR) && !event.text(JsonEvent.DUR).startsWith("-");
        if (hasDuration) {
            placed.add(JsonEvent.DUR);
        }
        TrackEvent.Builder begin = JsonTrackEvents.of(event, TrackEvent.Type.TYPE_SLICE_BEGIN, placed);
        putBoundFlows(event, begin);
        long atNs = timestampNs(event);
        slices.add(new MergedSlice(event.pid(), event.tid(), atNs, atNs + event.durationNs(), begin, null, ordinal++));
    }

    private void end(JsonEvent event) throws IOException {
        Deque<JsonEvent> open = begun.get(event.threadText());
        if (open == null) {
            instant(event);
            return;
        }
        JsonEvent begin = open.pop();
        if (open.isEmpty()) {
            begun.remove(event.threadText());
        }
        long endNs = timestampNs(event);
        if (endNs < timestampNs(begin)) {
            instant(begin);
            instant(event);
            return;
        }
        TrackEvent.Builder end = JsonTrackEvents.end(event, placedOnThread(event));
        add(begin, endNs, end);
    }

    private void add(JsonEvent begin, long endNs, TrackEvent.@Nullable Builder end) throws IOException {
        TrackEvent.Builder made = JsonTrackEvents.of(begin, TrackEvent.Type.TYPE_SLICE_BEGIN, placedOnThread(begin));
        putBoundFlows(begin, made);
        slices.add(new MergedSlice(begin.pid(), begin.tid(), timestampNs(begin), endNs, made, end, ordinal++));
    }

    private void async(JsonEvent event, TrackEvent.Type type) throws IOException {
        TrackEvent.Builder made = JsonTrackEvents.of(event, type, placed(event));
        String key = JsonFirstPass.asyncKey(event);
        packets.event(
                timestampNs(event),
                made.setTrackUuid(tracks.async(event.pid(), key, event.categories()))
                        .build());
    }

    /** An arrow's point stands in the span that is open then. */
    private void flow(JsonEvent event) throws IOException {
        TrackEvent.Builder made = JsonTrackEvents.of(event, TrackEvent.Type.TYPE_INSTANT, placedOnThread(event));
        long id = TrackIds.of("flow " + event.categories() + ' ' + event.name() + ' ' + event.asyncId());
        if (event.phase() == 'f') {
            made.addTerminatingFlowIds(id);
        } else {
            made.addFlowIds(id);
        }
        putInstant(event, made);
    }

    /** The newer way to draw arrows: "bind_id" with "flow_in" and "flow_out". */
    private static void putBoundFlows(JsonEvent event, TrackEvent.Builder made) {
        JsonNode bindId = event.members().get("bind_id");
        boolean isOut = event.members().path("flow_out").asBoolean();
        boolean isIn = event.members().path("flow_in").asBoolean();
        if (bindId == null || !(isIn || isOut)) {
            return;
        }
        long id = TrackIds.of("bind " + event.text(JsonEvent.SCOPE) + ' ' + bindId.asText());
        if (isOut) {
            made.addFlowIds(id);
        } else {
            made.addTerminatingFlowIds(id);
        }
    }

    private void metadata(JsonEvent event) throws IOException {
        TrackEvent.Builder made = JsonTrackEvents.of(event, TrackEvent.Type.TYPE_INSTANT, placed(event));
        long atNs = timestampNs(event);
        packets.event(atNs, made.setTrackUuid(tracks.metadata(event.pid())).build());
    }

    private void instant(JsonEvent event) throws IOException {
        TrackEvent.Builder made = JsonTrackEvents.of(event, TrackEvent.Type.TYPE_INSTANT, placedOnThread(event));
        putBoundFlows(event, made);
        putInstant(event, made);
    }

    private void putInstant(JsonEvent event, TrackEvent.Builder made) throws IOException {
        long trackUuid = tracks.thread(event.pid(), event.tid(), 0);
        packets.event(timestampNs(event), made.setTrackUuid(trackUuid).build());
    }

    private long timestampNs(JsonEvent event) {
        long atNs = event.timestampNs().orElse(startNs);
        // Metadata comes with 0, which would stretch what a viewer shows back to the boot.
        return atNs <= 0 ? startNs : atNs;
    }

    /** Members that the packet's time and the track of its thread express. */
    private static Set<String> placedOnThread(JsonEvent event) {
        Set<String> placed = placed(event);
        if (event.pid().isPresent() && event.tid().isPresent()) {
            placed.add(JsonEvent.TID);
        } else {
            placed.remove(JsonEvent.PID);
        }
        return placed;
    }

    /** Members that the packet's time and a track of its process express. */
    private static Set<String> placed(JsonEvent event) {
        Set<String> placed = new HashSet<>();
        if (event.isExact(JsonEvent.TS) && event.timestampNs().orElse(0) > 0) {
            placed.add(JsonEvent.TS);
        }
        if (event.pid().isPresent()) {
            placed.add(JsonEvent.PID);
        }
        return placed;
    }

    public void finish() throws IOException {
        for (Deque<JsonEvent> open : begun.values()) {
            while (!open.isEmpty()) {
                add(open.pop(), MergedSlice.NEVER, null);
            }
        }
        slices.finish();
    }
}
