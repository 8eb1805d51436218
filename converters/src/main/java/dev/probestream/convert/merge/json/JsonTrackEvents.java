package dev.probestream.convert.merge.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.probestream.schema.perfetto.DebugAnnotation;
import dev.probestream.schema.perfetto.TrackEvent;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A JSON event as a track event with everything in it: its name, its categories, its args as annotations; and as the
 * annotation "event" those members that have no place of their own, its phase, id and thread clock among them.
 */
final class JsonTrackEvents {
    private static final String REST = "event";

    /** Both ends of a span become one slice, and it has but one annotation of a name. */
    private static final String REST_OF_END = "end";

    private JsonTrackEvents() {}

    /** @param placed members that the packet's time and track express */
    static TrackEvent.Builder of(JsonEvent event, TrackEvent.Type type, Set<String> placed) {
        TrackEvent.Builder made = TrackEvent.newBuilder().setType(type);
        boolean isNamed = event.members().path(JsonEvent.NAME).isTextual();
        boolean hasCategories = event.members().path(JsonEvent.CATEGORY).isTextual();
        if (isNamed) {
            made.setName(event.name());
        }
        if (hasCategories) {
            made.addAllCategories(List.of(event.categories().split(",", -1)));
        }
        String rest = type == TrackEvent.Type.TYPE_SLICE_END ? REST_OF_END : REST;
        return annotate(made, event, rest, placed, isNamed, hasCategories);
    }

    /** The end of a slice that was begun on the same track last: it has no name, for that would be compared. */
    static TrackEvent.Builder end(JsonEvent event, Set<String> placed) {
        TrackEvent.Builder made = TrackEvent.newBuilder().setType(TrackEvent.Type.TYPE_SLICE_END);
        return annotate(made, event, REST_OF_END, placed, false, false);
    }

    private static TrackEvent.Builder annotate(
            TrackEvent.Builder made,
            JsonEvent event,
            String restName,
            Set<String> placed,
            boolean isNamed,
            boolean hasCategories) {
        DebugAnnotation.Builder rest = DebugAnnotation.newBuilder().setName(restName);
        for (Map.Entry<String, JsonNode> member : event.members().properties()) {
            String key = member.getKey();
            boolean isSaid = (key.equals(JsonEvent.NAME) && isNamed)
                    || (key.equals(JsonEvent.CATEGORY) && hasCategories)
                    || placed.contains(key);
            if (isSaid) {
                continue;
            }
            if (key.equals(JsonEvent.ARGS) && member.getValue() instanceof ObjectNode args) {
                args.properties()
                        .forEach(arg -> made.addDebugAnnotations(JsonAnnotations.of(arg.getKey(), arg.getValue())));
            } else {
                rest.addDictEntries(JsonAnnotations.of(key, member.getValue()));
            }
        }
        return rest.getDictEntriesCount() == 0 ? made : made.addDebugAnnotations(rest);
    }
}
