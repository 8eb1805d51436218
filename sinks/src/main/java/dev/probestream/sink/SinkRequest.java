package dev.probestream.sink;

import dev.probestream.sink.finish.SinkFormat;
import dev.probestream.sink.segment.Rolling;
import java.nio.file.Path;
import java.util.Map;

/**
 * What a sink is to do.
 *
 * @param folder where the files go; created if missing. All instances of a group must share it
 * @param kafka properties of the Kafka client: {@code bootstrap.servers} at least, and whatever the user adds (security).
 *     They win over ours, but for those on which exactly-once rests
 * @param group the consumer group; used by {@link SinkMode#FOLLOW} only
 * @param window used by {@link SinkMode#WINDOW} only
 */
public record SinkRequest(
        SinkFormat format,
        Path folder,
        Map<String, String> kafka,
        String group,
        Rolling rolling,
        SinkMode mode,
        IncidentWindow window) {
    public SinkRequest {
        kafka = Map.copyOf(kafka);
    }

    /** One that shares the work with the other members of {@code group} until it is stopped. */
    public static SinkRequest follow(
            SinkFormat format, Path folder, Map<String, String> kafka, String group, Rolling rolling) {
        return new SinkRequest(format, folder, kafka, group, rolling, SinkMode.FOLLOW, IncidentWindow.ALL);
    }

    /** One that goes on where the folder ends, up to the end of the topic. */
    public static SinkRequest catchUp(SinkFormat format, Path folder, Map<String, String> kafka, Rolling rolling) {
        return new SinkRequest(format, folder, kafka, "", rolling, SinkMode.CATCH_UP, IncidentWindow.ALL);
    }

    /** One that cuts {@code window} out of the topic's history. */
    public static SinkRequest cut(
            SinkFormat format, Path folder, Map<String, String> kafka, Rolling rolling, IncidentWindow window) {
        return new SinkRequest(format, folder, kafka, "", rolling, SinkMode.WINDOW, window);
    }
}
