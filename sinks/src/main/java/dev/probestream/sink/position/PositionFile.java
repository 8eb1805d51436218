package dev.probestream.sink.position;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.probestream.sink.position.Position.CapturePosition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The file {@code .probestream/TOPIC-PARTITION.json}: records which events of a partition are in finished files. It is
 * replaced as a whole after the files that it refers to are in place.
 */
public final class PositionFile {
    private static final int VERSION = 1;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Path path;
    private final int partition;

    PositionFile(Path path, int partition) {
        this.path = path;
        this.partition = partition;
    }

    /**
     * The recorded position; empty if no file of the partition was finished here.
     *
     * @throws FolderException if it is damaged
     */
    public Optional<Position> read() throws IOException {
        if (!Files.exists(path)) {
            return Optional.empty();
        }
        JsonNode root;
        try {
            root = JSON.readTree(Files.readAllBytes(path));
        } catch (com.fasterxml.jackson.core.JacksonException e) {
            throw damaged(String.valueOf(e.getOriginalMessage()), e);
        }
        if (root.path("version").asInt() != VERSION || root.path("partition").asInt(-1) != partition) {
            throw damaged(
                    "it is of version " + root.path("version") + " and partition " + root.path("partition"), null);
        }
        List<CapturePosition> captures = new ArrayList<>();
        for (JsonNode capture : root.path("captures")) {
            captures.add(new CapturePosition(
                    number(capture, "captureId"),
                    number(capture, "nextOffset"),
                    number(capture, "nextSequence"),
                    number(capture, "nextMetadataOffset"),
                    number(capture, "lastPublishMs")));
        }
        return Optional.of(new Position(number(root, "lowWater"), captures));
    }

    /** Replaces the position durably. */
    public void write(Position position) throws IOException {
        ObjectNode root = JSON.createObjectNode()
                .put("version", VERSION)
                .put("partition", partition)
                .put("lowWater", position.lowWater());
        ArrayNode captures = root.putArray("captures");
        for (CapturePosition capture : position.captures()) {
            captures.addObject()
                    .put("captureId", capture.captureId())
                    .put("nextOffset", capture.nextOffset())
                    .put("nextSequence", capture.nextSequence())
                    .put("nextMetadataOffset", capture.nextMetadataOffset())
                    .put("lastPublishMs", capture.lastPublishMs());
        }
        DurableFile.write(path, JSON.writeValueAsBytes(root));
    }

    private long number(JsonNode object, String name) throws FolderException {
        JsonNode value = object.get(name);
        if (value == null || !value.isIntegralNumber()) {
            throw damaged("it has no number " + name, null);
        }
        return value.asLong();
    }

    private FolderException damaged(String reason, @org.jspecify.annotations.Nullable Throwable cause) {
        return new FolderException(
                "cannot read position file " + path + ": " + reason
                        + "; restore it from a backup, or start the sink with an empty folder",
                cause);
    }
}
