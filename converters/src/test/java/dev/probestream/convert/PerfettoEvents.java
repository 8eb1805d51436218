package dev.probestream.convert;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.probestream.schema.perfetto.DebugAnnotation;
import dev.probestream.schema.perfetto.Trace;
import dev.probestream.schema.perfetto.TracePacket;
import dev.probestream.schema.perfetto.TrackDescriptor;
import dev.probestream.schema.perfetto.TrackEvent;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes JSON events again of the packets that were made of them, knowing nothing but protobuf and the documentation. */
final class PerfettoEvents {
    private static final int FIRST_SEQUENCE = 1 << 30;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Map<Long, TrackDescriptor> tracks = new HashMap<>();
    private final Map<Long, Deque<ObjectNode>> open = new HashMap<>();
    private final List<ObjectNode> events = new ArrayList<>();

    private PerfettoEvents() {}

    /** The events of all merged JSON files. */
    static List<ObjectNode> of(Path file) throws IOException {
        Trace trace = Trace.parseFrom(Files.readAllBytes(file));
        PerfettoEvents made = new PerfettoEvents();
        trace.getPacketList().stream()
                .filter(TracePacket::hasTrackDescriptor)
                .map(TracePacket::getTrackDescriptor)
                .forEach(track -> made.tracks.put(track.getUuid(), track));
        // As every viewer does: by time, and in the order of the file where that is the same.
        trace.getPacketList().stream()
                .filter(packet -> packet.getTrustedPacketSequenceId() >= FIRST_SEQUENCE && packet.hasTrackEvent())
                .sorted(Comparator.comparingLong(TracePacket::getTimestamp))
                .forEach(packet -> made.add(packet.getTimestamp(), packet.getTrackEvent()));
        return made.events;
    }

    private void add(long timestampNs, TrackEvent event) {
        boolean isContinued = event.getType() == TrackEvent.Type.TYPE_COUNTER && event.getDebugAnnotationsCount() == 0;
        if (isContinued) {
            return;
        }
        ObjectNode made = JSON.createObjectNode();
        ObjectNode args = JSON.createObjectNode();
        String rest = event.getType() == TrackEvent.Type.TYPE_SLICE_END ? "end" : "event";
        for (DebugAnnotation annotation : event.getDebugAnnotationsList()) {
            if (annotation.getName().equals(rest)) {
                made.setAll((ObjectNode) value(annotation));
            } else {
                args.set(annotation.getName(), value(annotation));
            }
        }
        if (event.hasName()) {
            made.put("name", event.getName());
        }
        if (event.getCategoriesCount() > 0) {
            made.put("cat", String.join(",", event.getCategoriesList()));
        }
        if (!args.isEmpty()) {
            made.set("args", args);
        }
        switch (event.getType()) {
            case TYPE_SLICE_BEGIN ->
                open.computeIfAbsent(event.getTrackUuid(), track -> new ArrayDeque<>())
                        .push(made);
            case TYPE_SLICE_END -> {
                Deque<ObjectNode> begun = open.get(event.getTrackUuid());
                ObjectNode begin = begun == null || begun.isEmpty() ? null : begun.pop();
                if (!made.has("ph") && begin != null) {
                    begin.put(
                            "dur",
                            microseconds(timestampNs).subtract(begin.get("ts").decimalValue()));
                    return;
                }
            }
            case TYPE_INSTANT, TYPE_COUNTER, TYPE_UNSPECIFIED -> {}
        }
        boolean isTimeless = timestampNs == TestRecording.START_NS; // such events stand at the trace's start
        if (!made.has("ts") && !isTimeless) {
            made.put("ts", microseconds(timestampNs));
        }
        placeOn(made, tracks.get(event.getTrackUuid()));
        events.add(made);
    }

    private static BigDecimal microseconds(long ns) {
        return BigDecimal.valueOf(ns, 3);
    }

    private void placeOn(ObjectNode made, @Nullable TrackDescriptor track) {
        TrackDescriptor at = track;
        while (at != null) {
            if (at.hasThread()) {
                putOnce(made, "pid", at.getThread().getPid());
                putOnce(made, "tid", at.getThread().getTid());
            } else if (at.hasProcess()) {
                putOnce(made, "pid", at.getProcess().getPid());
            }
            at = tracks.get(at.getParentUuid());
        }
    }

    private static void putOnce(ObjectNode made, String member, int value) {
        if (!made.has(member)) {
            made.put(member, value);
        }
    }

    private static JsonNode value(DebugAnnotation annotation) {
        if (annotation.getDictEntriesCount() > 0) {
            ObjectNode object = JSON.createObjectNode();
            annotation.getDictEntriesList().forEach(entry -> object.set(entry.getName(), value(entry)));
            return object;
        }
        if (annotation.getArrayValuesCount() > 0) {
            ArrayNode array = JSON.createArrayNode();
            annotation.getArrayValuesList().forEach(element -> array.add(value(element)));
            return array;
        }
        return switch (annotation.getValueCase()) {
            case BOOL_VALUE -> JSON.getNodeFactory().booleanNode(annotation.getBoolValue());
            case INT_VALUE -> JSON.getNodeFactory().numberNode(annotation.getIntValue());
            case UINT_VALUE ->
                JSON.getNodeFactory().numberNode(new BigInteger(Long.toUnsignedString(annotation.getUintValue())));
            case DOUBLE_VALUE -> JSON.getNodeFactory().numberNode(annotation.getDoubleValue());
            case STRING_VALUE -> JSON.getNodeFactory().textNode(annotation.getStringValue());
            case POINTER_VALUE, STRING_VALUE_IID, VALUE_NOT_SET ->
                JSON.getNodeFactory().nullNode();
        };
    }
}
