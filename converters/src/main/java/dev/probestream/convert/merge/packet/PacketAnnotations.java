package dev.probestream.convert.merge.packet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.probestream.schema.perfetto.DebugAnnotation;
import dev.probestream.schema.perfetto.SourceLocation;
import dev.probestream.schema.perfetto.TrackEvent;
import java.math.BigInteger;

/** Debug annotations as JSON values. */
final class PacketAnnotations {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private PacketAnnotations() {}

    /** All annotations of an event, and its place in the source. */
    static ObjectNode args(TrackEvent event, SequenceState sequence) {
        ObjectNode args = JSON.objectNode();
        for (DebugAnnotation annotation : event.getDebugAnnotationsList()) {
            args.set(name(annotation, sequence), value(annotation, sequence));
        }
        if (event.hasSourceLocation()) {
            args.set("source", source(event.getSourceLocation()));
        } else if (event.hasSourceLocationIid()) {
            args.set("source", source(sequence.location(event.getSourceLocationIid())));
        }
        if (event.hasCallstack()) {
            ArrayNode stack = args.putArray("stack");
            event.getCallstack().getFramesList().forEach(frame -> stack.add(frame.getFunctionName()));
        }
        return args;
    }

    private static String name(DebugAnnotation annotation, SequenceState sequence) {
        return annotation.hasNameIid() ? sequence.annotationName(annotation.getNameIid()) : annotation.getName();
    }

    private static JsonNode value(DebugAnnotation annotation, SequenceState sequence) {
        if (annotation.getDictEntriesCount() > 0) {
            ObjectNode object = JSON.objectNode();
            for (DebugAnnotation entry : annotation.getDictEntriesList()) {
                object.set(name(entry, sequence), value(entry, sequence));
            }
            return object;
        }
        if (annotation.getArrayValuesCount() > 0) {
            ArrayNode array = JSON.arrayNode();
            annotation.getArrayValuesList().forEach(element -> array.add(value(element, sequence)));
            return array;
        }
        return switch (annotation.getValueCase()) {
            case BOOL_VALUE -> JSON.booleanNode(annotation.getBoolValue());
            case UINT_VALUE -> JSON.numberNode(new BigInteger(Long.toUnsignedString(annotation.getUintValue())));
            case INT_VALUE -> JSON.numberNode(annotation.getIntValue());
            case DOUBLE_VALUE -> JSON.numberNode(annotation.getDoubleValue());
            case STRING_VALUE -> JSON.textNode(annotation.getStringValue());
            case POINTER_VALUE -> JSON.textNode("0x" + Long.toHexString(annotation.getPointerValue()));
            case STRING_VALUE_IID -> JSON.textNode(sequence.text(annotation.getStringValueIid()));
            case VALUE_NOT_SET -> JSON.nullNode();
        };
    }

    private static ObjectNode source(SourceLocation location) {
        return JSON.objectNode()
                .put("file", location.getFileName())
                .put("function", location.getFunctionName())
                .put("line", location.getLineNumber());
    }
}
