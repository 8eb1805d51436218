package dev.probestream.convert.merge.packet;

import com.fasterxml.jackson.databind.node.DecimalNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.probestream.convert.merge.json.JsonEvent;
import dev.probestream.convert.merge.json.JsonToChrome;
import dev.probestream.convert.timeline.Timeline;
import dev.probestream.schema.perfetto.TracePacket;
import dev.probestream.schema.perfetto.TrackDescriptor;
import dev.probestream.schema.perfetto.TrackEvent;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/**
 * The events of a Perfetto trace in Chrome's format, as far as that goes: slices of a thread as B and E, of other tracks as
 * b and e, instants, counters, and flows as arrows.
 */
public final class PacketsToChrome {
    /** Of tracks that belong to no process; above what Linux gives out, and above what our own writer takes. */
    private static final int NO_PROCESS_PID = (4 << 20) + (1 << 10);

    /** Ids of async events, which are counted; our own writer's are below. */
    private static final int FIRST_ID = 1 << 30;

    private final JsonToChrome json;
    private final Map<String, Integer> ids = new HashMap<>();
    private final Map<String, Deque<String>> openCategories = new HashMap<>();
    private PacketPass reading;
    private PacketTracks tracks = new PacketTracks();
    private int file;

    public PacketsToChrome(JsonToChrome json, Timeline timeline) {
        this.json = json;
        this.reading = new PacketPass(timeline);
    }

    /** A file begins: names its threads. */
    public void begin(int number, PacketTracks known, Timeline timeline) throws IOException {
        file = number;
        tracks = known;
        reading = new PacketPass(timeline);
        for (TrackDescriptor track : known.all()) {
            if (track.hasThread() && track.getThread().hasThreadName()) {
                name(
                        "thread_name",
                        track.getThread().getPid(),
                        track.getThread().getTid(),
                        track.getThread().getThreadName());
            }
            if (track.hasProcess() && track.getProcess().hasProcessName()) {
                int pid = track.getProcess().getPid();
                name("process_name", pid, pid, track.getProcess().getProcessName());
            }
        }
    }

    private void name(String what, int pid, int tid, String name) throws IOException {
        ObjectNode event = JsonNodeFactory.instance.objectNode();
        event.put(JsonEvent.PHASE, "M")
                .put(JsonEvent.NAME, what)
                .put(JsonEvent.PID, pid)
                .put(JsonEvent.TID, tid);
        event.putObject(JsonEvent.ARGS).put("name", name);
        json.event(new JsonEvent(event));
    }

    public void packet(TracePacket packet, boolean isWanted) throws IOException {
        reading.next(packet);
        if (isWanted && packet.hasTrackEvent() && reading.monotonicNs().isPresent()) {
            event(
                    packet.getTrackEvent(),
                    reading.trackUuid(packet),
                    reading.monotonicNs().getAsLong());
        }
    }

    private void event(TrackEvent event, long trackUuid, long atNs) throws IOException {
        SequenceState sequence = reading.sequence();
        TrackDescriptor found = tracks.find(trackUuid);
        TrackDescriptor track = found == null ? TrackDescriptor.getDefaultInstance() : found;
        ObjectNode made = JsonNodeFactory.instance.objectNode();
        boolean isThread = track.hasThread();
        String phase = phase(event, isThread);
        made.put(JsonEvent.PHASE, phase);
        String name = event.hasNameIid() ? sequence.name(event.getNameIid()) : event.getName();
        if (!name.isEmpty()) {
            made.put(JsonEvent.NAME, name);
        }
        String categories = categories(event, sequence);
        if (!categories.isEmpty()) {
            made.put(JsonEvent.CATEGORY, categories);
        }
        made.set(JsonEvent.TS, DecimalNode.valueOf(BigDecimal.valueOf(atNs, 3)));
        place(made, track, trackUuid);
        ObjectNode args = PacketAnnotations.args(event, sequence);
        switch (phase) {
            case "b", "e", "n" -> async(made, event, trackUuid, categories);
            case "C" -> counter(made, event, track);
            case "i" -> made.put("s", "t");
            default -> {
                if (event.hasLegacyEvent()) {
                    LegacyMembers.put(made, event.getLegacyEvent());
                }
            }
        }
        if (!args.isEmpty() && !made.has(JsonEvent.ARGS)) {
            made.set(JsonEvent.ARGS, args);
        }
        json.event(new JsonEvent(made));
        flows(event, made);
    }

    private static String phase(TrackEvent event, boolean isThread) {
        return switch (event.getType()) {
            case TYPE_SLICE_BEGIN -> isThread ? "B" : "b";
            case TYPE_SLICE_END -> isThread ? "E" : "e";
            case TYPE_INSTANT -> isThread ? "i" : "n";
            case TYPE_COUNTER -> "C";
            case TYPE_UNSPECIFIED -> {
                int letter = event.getLegacyEvent().getPhase();
                yield letter == 0 ? "i" : String.valueOf((char) letter);
            }
        };
    }

    private static String categories(TrackEvent event, SequenceState sequence) {
        StringBuilder joined = new StringBuilder(String.join(",", event.getCategoriesList()));
        for (long iid : event.getCategoryIidsList()) {
            joined.append(joined.isEmpty() ? "" : ",").append(sequence.category(iid));
        }
        return joined.toString();
    }

    private void place(ObjectNode made, TrackDescriptor track, long trackUuid) {
        int pid = tracks.pid(trackUuid).orElse(NO_PROCESS_PID);
        made.put(JsonEvent.PID, pid);
        made.put(JsonEvent.TID, track.hasThread() ? track.getThread().getTid() : pid);
    }

    /** Chrome matches async events by their category and id: that of an end must be that of its beginning. */
    private void async(ObjectNode made, TrackEvent event, long trackUuid, String categories) {
        if (event.hasLegacyEvent() && event.getLegacyEvent().getIdCase() != TrackEvent.LegacyEvent.IdCase.ID_NOT_SET) {
            LegacyMembers.put(made, event.getLegacyEvent());
            return;
        }
        String track = file + " " + trackUuid;
        Deque<String> open = openCategories.computeIfAbsent(track, unseen -> new ArrayDeque<>());
        if (event.getType() == TrackEvent.Type.TYPE_SLICE_BEGIN) {
            open.push(categories);
        } else if (event.getType() == TrackEvent.Type.TYPE_SLICE_END && !open.isEmpty()) {
            made.put(JsonEvent.CATEGORY, open.pop());
        }
        if (open.isEmpty()) {
            openCategories.remove(track);
        }
        if (!made.has(JsonEvent.CATEGORY)) {
            made.put(JsonEvent.CATEGORY, "");
        }
        made.putObject(JsonEvent.ID2).put("local", "0x" + Integer.toHexString(id("track " + track)));
    }

    private int id(String text) {
        return ids.computeIfAbsent(text, unseen -> FIRST_ID + ids.size());
    }

    private static void counter(ObjectNode made, TrackEvent event, TrackDescriptor track) {
        if (!made.has(JsonEvent.NAME)) {
            made.put(JsonEvent.NAME, track.getName());
        }
        ObjectNode args = made.putObject(JsonEvent.ARGS);
        if (event.hasDoubleCounterValue()) {
            args.put("value", event.getDoubleCounterValue());
        } else {
            args.put("value", event.getCounterValue());
        }
    }

    private void flows(TrackEvent event, ObjectNode made) throws IOException {
        for (long flow : event.getFlowIdsList()) {
            String text = "flow " + file + ' ' + flow;
            arrow(made, ids.containsKey(text) ? "t" : "s", id(text));
        }
        for (long flow : event.getTerminatingFlowIdsList()) {
            arrow(made, "f", id("flow " + file + ' ' + flow));
        }
    }

    private void arrow(ObjectNode from, String phase, int id) throws IOException {
        ObjectNode arrow = JsonNodeFactory.instance.objectNode();
        arrow.put(JsonEvent.PHASE, phase).put(JsonEvent.NAME, "merged flow").put(JsonEvent.CATEGORY, "flow");
        arrow.set(JsonEvent.TS, from.get(JsonEvent.TS));
        arrow.set(JsonEvent.PID, from.get(JsonEvent.PID));
        arrow.set(JsonEvent.TID, from.get(JsonEvent.TID));
        arrow.put(JsonEvent.ID, id).put("bp", "e");
        json.event(new JsonEvent(arrow));
    }
}
