package dev.probestream.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.schema.message.Topics;
import dev.probestream.sink.finish.SinkFormat;
import dev.probestream.sink.position.SinkFolder;
import dev.probestream.sink.segment.Rolling;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is wrong with a sink is known before a broker is asked for: nothing listens at the address of these. */
class SinkCheckTest {
    private static final SinkFolder.TopicId TOPIC = new SinkFolder.TopicId("c", Topics.EVENTS, "t");

    @TempDir
    Path temporary;

    @Test
    void aNewFolderIsCreatedAndCanBeCheckedAgain() throws Exception {
        Path folder = temporary.resolve("a/b");

        Sink.check(request(folder, Map.of()));

        assertThat(folder).isDirectory();
        assertThatCode(() -> Sink.check(request(folder, Map.of()))).doesNotThrowAnyException();
    }

    @Test
    void aFileIsNoFolder() throws Exception {
        Path file = Files.writeString(temporary.resolve("file"), "x");

        assertThatThrownBy(() -> Sink.check(request(file.resolve("out"), Map.of())))
                .isInstanceOf(SinkException.class)
                .hasMessage("cannot open a sink in " + file.resolve("out") + ": " + file
                        + " is a file, not a folder; name another folder");
    }

    @Test
    void aFolderOfAnotherFormatIsRefused() throws Exception {
        claimedFor("perfetto");

        assertThatThrownBy(() -> Sink.check(request(temporary, Map.of())))
                .isInstanceOf(SinkException.class)
                .hasMessageContaining("it is filled with perfetto, but this is parquet");
    }

    @Test
    void aFolderWithFilesOfAnUnknownTopicIsRefused() throws Exception {
        Files.writeString(temporary.resolve("c1-p0-0-7.parquet"), "x");

        assertThatThrownBy(() -> Sink.check(request(temporary, Map.of())))
                .isInstanceOf(SinkException.class)
                .hasMessageContaining("their folder .probestream is missing");
    }

    @Test
    void aTimeRangeNeedsAnUnusedFolder() throws Exception {
        claimedFor("parquet");

        assertThatThrownBy(() -> Sink.check(SinkRequest.cut(
                        SinkFormat.PARQUET, temporary, properties(Map.of()), Rolling.DEFAULT, IncidentWindow.ALL)))
                .isInstanceOf(SinkException.class)
                .hasMessageContaining("a sink has already written there");
        assertThatCode(() -> Sink.check(request(temporary, Map.of()))).doesNotThrowAnyException();
    }

    @Test
    void aPropertyWithAWrongValueIsNamed() {
        assertThatThrownBy(() -> Sink.check(request(temporary, Map.of("fetch.min.bytes", "many"))))
                .isInstanceOf(SinkException.class)
                .hasMessageContaining("fetch.min.bytes");
    }

    private void claimedFor(String content) throws Exception {
        try (SinkFolder used = SinkFolder.open(temporary, Topics.EVENTS)) {
            used.claim(content, TOPIC);
        }
    }

    private static SinkRequest request(Path folder, Map<String, String> more) {
        return SinkRequest.catchUp(SinkFormat.PARQUET, folder, properties(more), Rolling.DEFAULT);
    }

    private static Map<String, String> properties(Map<String, String> more) {
        Map<String, String> properties = new HashMap<>(more);
        properties.put("bootstrap.servers", "127.0.0.1:1");
        return properties;
    }
}
