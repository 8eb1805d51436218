package dev.probestream.sink.position;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The file {@code .probestream/sink.json}: which topic a folder is filled from, and with what. Positions of one topic
 * mean nothing in another, and two kinds of sink in one folder would take each other's positions for their own.
 */
final class FolderManifest {
    private static final int VERSION = 1;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Path folder;
    private final Path path;

    FolderManifest(Path folder, Path path) {
        this.folder = folder;
        this.path = path;
    }

    boolean isThere() {
        return Files.exists(path);
    }

    /** That the folder has finished files, but no mark that tells whose. */
    FolderException lost() {
        return refused("it has finished files, but the folder .probestream that belongs to them is gone", null);
    }

    /**
     * Marks a new folder, or checks an old one.
     *
     * @param content what the sink fills it with, e.g. "perfetto"
     * @throws FolderException if the folder is another topic's or another kind of sink's
     */
    void claim(String content, TopicId topic) throws IOException {
        if (!Files.exists(path)) {
            ObjectNode mark = JSON.createObjectNode()
                    .put("version", VERSION)
                    .put("content", content)
                    .put("clusterId", topic.clusterId())
                    .put("topic", topic.topic())
                    .put("topicId", topic.id());
            DurableFile.create(path, JSON.writeValueAsBytes(mark));
        }
        check(content, topic);
    }

    /** What is there may be another instance's, which began at the same moment. */
    private void check(String content, TopicId topic) throws IOException {
        JsonNode mark;
        try {
            mark = JSON.readTree(Files.readAllBytes(path));
        } catch (JacksonException e) {
            throw refused("its mark " + path + " is damaged: " + e.getOriginalMessage(), e);
        }
        check("it is of version", mark, "version", String.valueOf(VERSION));
        check("it is filled with", mark, "content", content);
        check("it is filled from the Kafka cluster", mark, "clusterId", topic.clusterId());
        check("it is filled from the topic", mark, "topic", topic.topic());
        check(
                "the topic " + topic.topic()
                        + " was deleted and made again since: the folder belongs to the one with id",
                mark,
                "topicId",
                topic.id());
    }

    private void check(String what, JsonNode mark, String name, String wanted) throws FolderException {
        String found = mark.path(name).asText();
        if (!found.equals(wanted)) {
            throw refused(what + " " + found + ", and this is " + wanted, null);
        }
    }

    private FolderException refused(String reason, @org.jspecify.annotations.Nullable Throwable cause) {
        return new FolderException(
                "cannot go on in folder " + folder + ": " + reason + "; name another folder, or move this one away",
                cause);
    }
}
