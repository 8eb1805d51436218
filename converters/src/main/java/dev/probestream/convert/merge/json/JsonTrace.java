package dev.probestream.convert.merge.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.probestream.convert.merge.track.MergeFormatException;
import dev.probestream.convert.merge.track.TraceBytes;
import dev.probestream.convert.merge.track.TraceKind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.ZipException;

/**
 * Reads a file in Chrome's Trace Event Format, event by event: an object with the member "traceEvents", or the bare array.
 * The end of the file may be missing: a process that is killed does not write it.
 */
public final class JsonTrace {
    /** Handles one event; it may be kept. */
    @FunctionalInterface
    public interface EventHandler {
        void event(ObjectNode event) throws IOException;
    }

    /**
     * What a file was found to hold.
     *
     * @param events how many events were handed over
     * @param nonEvents elements of the array that are not objects, and so not events
     * @param isCut whether it ends in the middle
     * @param sizeBytes its length, unpacked
     * @param otherMembers what else than events the outermost object has
     */
    public record Extent(long events, long nonEvents, boolean isCut, long sizeBytes, List<String> otherMembers) {
        public Extent {
            otherMembers = List.copyOf(otherMembers);
        }
    }

    private static final String TRACE_EVENTS = "traceEvents";
    private static final int MAX_MEMBERS_TOLD = 4;

    /** As many bytes as a token may have that is cut in the middle and therefore no JSON: "fals", "\\u12". */
    private static final int MAX_TORN_TOKEN_BYTES = 8;

    /** Numbers keep all their digits. */
    private static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .enable(JsonReadFeature.ALLOW_UNESCAPED_CONTROL_CHARS)
                    .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
                    .enable(JsonReadFeature.ALLOW_TRAILING_COMMA)
                    .build())
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    private final Path file;
    private final EventHandler handler;
    private final long maxEvents;
    private final List<String> otherMembers = new ArrayList<>();
    private boolean hasEvents;
    private long events;
    private long nonEvents;

    private JsonTrace(Path file, long maxEvents, EventHandler handler) {
        this.file = file;
        this.maxEvents = maxEvents;
        this.handler = handler;
    }

    /**
     * Hands over the events in the order of the file, {@code maxEvents} at most.
     *
     * @throws MergeFormatException when the file is not a trace, or is damaged before its end
     */
    public static Extent read(Path file, long maxEvents, EventHandler handler) throws IOException {
        return new JsonTrace(file, maxEvents, handler).read();
    }

    private Extent read() throws IOException {
        try (TraceBytes bytes = new TraceBytes(TraceKind.open(file), true);
                JsonParser parser = MAPPER.createParser(bytes)) {
            boolean isCut = false;
            try {
                root(parser);
            } catch (JsonProcessingException e) {
                long at = e.getLocation() == null ? 0 : e.getLocation().getByteOffset();
                if (!isTornEnd(e, at, bytes)) {
                    throw MergeFormatException.brokenAt(file, at, e.getOriginalMessage(), e);
                }
                isCut = true;
            } catch (ZipException e) {
                throw MergeFormatException.brokenAt(
                        file, bytes.sizeBytes(), "it cannot be unpacked any further (" + e.getMessage() + ")", e);
            }
            if (!hasEvents) {
                throw noTrace(isCut, bytes.sizeBytes());
            }
            return new Extent(events, nonEvents, isCut || bytes.isCompressionCut(), bytes.sizeBytes(), otherMembers);
        }
    }

    private static boolean isTornEnd(JsonProcessingException e, long at, TraceBytes bytes) {
        return e instanceof JsonEOFException || (bytes.isAtEnd() && bytes.sizeBytes() - at <= MAX_TORN_TOKEN_BYTES);
    }

    private void root(JsonParser parser) throws IOException {
        if (parser.nextToken() == JsonToken.START_ARRAY) {
            hasEvents = true;
            array(parser);
        } else {
            members(parser);
        }
        if (events < maxEvents && parser.nextToken() != null) {
            throw MergeFormatException.brokenAt(
                    file,
                    parser.currentTokenLocation().getByteOffset(),
                    "something follows the end of the trace",
                    null);
        }
    }

    private void members(JsonParser parser) throws IOException {
        while (events < maxEvents && parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            JsonToken value = parser.nextToken();
            if (name.equals(TRACE_EVENTS) && value == JsonToken.START_ARRAY) {
                hasEvents = true;
                array(parser);
            } else {
                otherMembers.add(name);
                parser.skipChildren();
            }
        }
    }

    private void array(JsonParser parser) throws IOException {
        while (events < maxEvents && parser.nextToken() != JsonToken.END_ARRAY) {
            if (parser.currentToken() == null) {
                throw new JsonEOFException(parser, null, "the array of events is not closed");
            }
            JsonNode element = MAPPER.readTree(parser);
            if (element instanceof ObjectNode event) {
                events++;
                handler.event(event);
            } else {
                nonEvents++;
            }
        }
    }

    private MergeFormatException noTrace(boolean isCut, long sizeBytes) {
        if (isCut && otherMembers.isEmpty()) {
            return new MergeFormatException(
                    file, sizeBytes, "it ends after " + sizeBytes + " bytes, before its first event", null);
        }
        return new MergeFormatException(
                file, 0, "not a trace but " + what() + ", without \"" + TRACE_EVENTS + "\"", null);
    }

    private String what() {
        if (otherMembers.contains("nodes") && otherMembers.contains("samples")) {
            return "a CPU profile of V8";
        }
        if (otherMembers.contains("snapshot") && otherMembers.contains("nodes")) {
            return "a heap snapshot of V8";
        }
        return otherMembers.isEmpty()
                ? "empty JSON"
                : "JSON with \""
                        + String.join(
                                "\", \"", otherMembers.subList(0, Math.min(MAX_MEMBERS_TOLD, otherMembers.size())))
                        + "\"";
    }
}
