package dev.probestream.sink.position;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The file {@code .probestream/sink.json}: which topic a folder is filled from, and with which files. Positions are
 * valid for one topic only, and two kinds of sink in one folder would use each other's positions.
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

    /** The exception for a folder that has finished files but no manifest. */
    FolderException lost() {
        return refused("it has finished files, but their folder .probestream is missing", null);
    }

    /**
     * Writes the manifest of a new folder, or checks that of a used one.
     *
     * @param content the kind of files, e.g. "perfetto"
     * @throws FolderException if the folder belongs to another topic or another kind of sink
     */
    void claim(String content, SinkFolder.TopicId topic) throws IOException {
        if (!Files.exists(path)) {
            ObjectNode manifest = JSON.createObjectNode()
                    .put("version", VERSION)
                    .put("content", content)
                    .put("clusterId", topic.clusterId())
                    .put("topic", topic.topic())
                    .put("topicId", topic.id());
            DurableFile.create(path, JSON.writeValueAsBytes(manifest));
        }
        check(content, topic);
    }

    /** The manifest may have been written by another instance that started at the same time. */
    private void check(String content, SinkFolder.TopicId topic) throws IOException {
        JsonNode manifest = checkContent(content);
        check("it is filled from the Kafka cluster", manifest, "clusterId", topic.clusterId());
        check("it is filled from the topic", manifest, "topic", topic.topic());
        check(
                "the topic " + topic.topic()
                        + " was deleted and made again since: the folder belongs to the one with id",
                manifest,
                "topicId",
                topic.id());
    }

    /**
     * The manifest of a used folder.
     *
     * @param content the kind of files
     * @throws FolderException if the folder belongs to another kind of sink
     */
    JsonNode checkContent(String content) throws IOException {
        JsonNode manifest;
        try {
            manifest = JSON.readTree(Files.readAllBytes(path));
        } catch (JacksonException e) {
            throw refused("its manifest " + path + " is damaged: " + e.getOriginalMessage(), e);
        }
        check("it is of version", manifest, "version", String.valueOf(VERSION));
        check("it is filled with", manifest, "content", content);
        return manifest;
    }

    private void check(String what, JsonNode manifest, String name, String wanted) throws FolderException {
        String found = manifest.path(name).asText();
        if (!found.equals(wanted)) {
            throw refused(what + " " + found + ", but this is " + wanted, null);
        }
    }

    private FolderException refused(String reason, @org.jspecify.annotations.Nullable Throwable cause) {
        return new FolderException(
                "cannot use folder " + folder + ": " + reason + "; name another folder, or move this one", cause);
    }
}
