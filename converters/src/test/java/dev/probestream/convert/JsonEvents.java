package dev.probestream.convert;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;

/** Events of JSON traces as texts that can be counted: what means the same has the same text. */
final class JsonEvents {
    private static final ObjectMapper JSON =
            new ObjectMapper().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS);

    private JsonEvents() {}

    static List<ObjectNode> of(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file);
                InputStream unpacked = file.toString().endsWith(".gz") ? new GZIPInputStream(in) : in) {
            List<ObjectNode> events = new ArrayList<>();
            JsonNode root = JSON.readTree(unpacked);
            (root.isArray() ? root : root.get("traceEvents")).forEach(event -> events.add((ObjectNode) event));
            return events;
        }
    }

    /** How often each event is there. Left out is what says nothing: empty args. */
    static Map<String, Integer> counted(List<ObjectNode> events) {
        Map<String, Integer> counts = new HashMap<>();
        for (ObjectNode event : events) {
            ObjectNode copy = event.deepCopy();
            if (copy.path("args").isEmpty()) {
                copy.remove("args");
            }
            counts.merge(text(copy), 1, Integer::sum);
        }
        return counts;
    }

    private static String text(JsonNode value) {
        if (value.isObject()) {
            Map<String, String> members = new TreeMap<>();
            value.properties().forEach(member -> members.put(member.getKey(), text(member.getValue())));
            return members.toString();
        }
        if (value.isArray()) {
            List<String> elements = new ArrayList<>();
            value.forEach(element -> elements.add(text(element)));
            return elements.toString();
        }
        if (value.isContainerNode() || !value.isNumber()) {
            return value.toString();
        }
        return value.decimalValue().stripTrailingZeros().toPlainString();
    }
}
