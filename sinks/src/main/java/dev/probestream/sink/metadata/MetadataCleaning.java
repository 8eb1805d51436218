package dev.probestream.sink.metadata;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.probestream.sink.position.DurableFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Decides which captures' events are gone from the events topic, by offsets alone. A checkpoint is taken: first the end
 * of the metadata topic, then the ends of the events topic's partitions. The events of a capture whose CaptureEnd is
 * before the checkpoint are before it, too, because CaptureEnd is sent after them. When retention has deleted all events
 * before the checkpoint, these captures have none, whatever the clocks and the kind of retention.
 *
 * <p>A collector that was killed leaves no CaptureEnd. One that lives publishes a Clock every few seconds; a capture
 * without a record for the {@link #SILENCE} between a checkpoint and its use has no collector any more.
 */
final class MetadataCleaning {
    static final Duration SILENCE = Duration.ofDays(7);

    private static final ObjectMapper JSON = new ObjectMapper();

    /**
     * A moment, by offsets.
     *
     * @param metadataEnd of the metadata topic, before the others were read
     * @param eventEnds of the partitions of the events topic
     * @param takenMs Unix time
     */
    record Checkpoint(long metadataEnd, List<Long> eventEnds, long takenMs) {
        Checkpoint {
            eventEnds = List.copyOf(eventEnds);
        }

        /** Whether all events before it are deleted. */
        boolean isPassed(List<Long> eventBeginnings) {
            if (eventBeginnings.size() < eventEnds.size()) {
                return false;
            }
            for (int partition = 0; partition < eventEnds.size(); partition++) {
                if (eventBeginnings.get(partition) < eventEnds.get(partition)) {
                    return false;
                }
            }
            return true;
        }

        /** Whether a capture has no events any more; the checkpoint must be passed. */
        boolean isGone(CaptureIndex.Range capture, long nowMs) {
            boolean hasEnded = capture.delivered() >= 0 || nowMs - takenMs > SILENCE.toMillis();
            return hasEnded && capture.last() < metadataEnd;
        }
    }

    private final Path file;

    /** @param file where the checkpoint is kept */
    MetadataCleaning(Path file) {
        this.file = file;
    }

    /** The checkpoint; empty if there is none, or it is damaged: then another is taken. */
    Optional<Checkpoint> read() throws IOException {
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try {
            JsonNode root = JSON.readTree(Files.readAllBytes(file));
            List<Long> ends = new ArrayList<>();
            root.path("eventEnds").forEach(end -> ends.add(end.asLong(Long.MAX_VALUE)));
            return ends.isEmpty()
                    ? Optional.empty()
                    : Optional.of(new Checkpoint(
                            root.path("metadataEnd").asLong(),
                            ends,
                            root.path("takenMs").asLong(Long.MAX_VALUE)));
        } catch (JacksonException e) {
            return Optional.empty();
        }
    }

    void write(Checkpoint checkpoint) throws IOException {
        ObjectNode root = JSON.createObjectNode()
                .put("metadataEnd", checkpoint.metadataEnd)
                .put("takenMs", checkpoint.takenMs);
        ArrayNode ends = root.putArray("eventEnds");
        checkpoint.eventEnds.forEach(ends::add);
        DurableFile.write(file, JSON.writeValueAsBytes(root));
    }
}
