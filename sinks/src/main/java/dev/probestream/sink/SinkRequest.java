package dev.probestream.sink;

import dev.probestream.schema.message.MessageFraming;
import dev.probestream.schema.message.Topics;
import dev.probestream.sink.finish.SinkFormat;
import dev.probestream.sink.segment.Rolling;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * The task of a sink.
 *
 * @param folder where the files go; created if missing. All instances of a group must share it
 * @param kafka properties of the Kafka client: {@code bootstrap.servers} at least, and whatever the user adds (security).
 *     They override our defaults, except for those that exactly-once requires
 * @param topics what it reads
 * @param framing reads the headers of the messages
 * @param group the consumer group, whose members share the work in {@link Mode#FOLLOW}. In {@link Mode#CATCH_UP}, the
 *     group that the folder must belong to; may be empty
 * @param window used by {@link Mode#WINDOW} only
 * @param waitLimit how long a missing broker or topic, or a full disk, is waited for; empty = until the sink is stopped
 */
public record SinkRequest(
        SinkFormat format,
        Path folder,
        Map<String, String> kafka,
        Topics topics,
        MessageFraming framing,
        String group,
        Rolling rolling,
        Mode mode,
        IncidentWindow window,
        Optional<Duration> waitLimit) {
    /** The limit of the modes that end. */
    public static final Duration DEFAULT_WAIT_LIMIT = Duration.ofMinutes(1);

    /** How far a sink reads, and whether it shares the work. */
    public enum Mode {
        /** As a member of a consumer group, until it is stopped. */
        FOLLOW,
        /**
         * From the folder's position to the end that the topic has at the start; then every segment is closed and the sink
         * ends. Instances with one folder share the partitions by their locks, without a consumer group. A folder can be
         * used in this mode and in {@link #FOLLOW} in turn.
         */
        CATCH_UP,
        /** Alone, an {@link IncidentWindow} into a folder that no other run has used. */
        WINDOW
    }

    public SinkRequest {
        kafka = Map.copyOf(kafka);
    }

    /** {@return the same sink, of topics with other names} */
    public SinkRequest of(Topics other) {
        return new SinkRequest(format, folder, kafka, other, framing, group, rolling, mode, window, waitLimit);
    }

    /** {@return the same sink, of topics whose messages have other headers} */
    public SinkRequest framed(MessageFraming other) {
        return new SinkRequest(format, folder, kafka, topics, other, group, rolling, mode, window, waitLimit);
    }

    /** A sink that shares the work with the other members of {@code group} until it is stopped. */
    public static SinkRequest follow(
            SinkFormat format, Path folder, Map<String, String> kafka, String group, Rolling rolling) {
        return ofDefaultTopics(format, folder, kafka, group, rolling, Mode.FOLLOW, IncidentWindow.ALL);
    }

    /** A sink that continues from the folder's position to the end of the topic. */
    public static SinkRequest catchUp(SinkFormat format, Path folder, Map<String, String> kafka, Rolling rolling) {
        return ofDefaultTopics(format, folder, kafka, "", rolling, Mode.CATCH_UP, IncidentWindow.ALL);
    }

    /** A sink that extracts {@code window} from the topic's history. */
    public static SinkRequest cut(
            SinkFormat format, Path folder, Map<String, String> kafka, Rolling rolling, IncidentWindow window) {
        return ofDefaultTopics(format, folder, kafka, "", rolling, Mode.WINDOW, window);
    }

    /** One that ends by itself does not wait for ever. */
    private static SinkRequest ofDefaultTopics(
            SinkFormat format,
            Path folder,
            Map<String, String> kafka,
            String group,
            Rolling rolling,
            Mode mode,
            IncidentWindow window) {
        Optional<Duration> limit = mode == Mode.FOLLOW ? Optional.empty() : Optional.of(DEFAULT_WAIT_LIMIT);
        return new SinkRequest(
                format,
                folder,
                kafka,
                Topics.DEFAULT,
                MessageFraming.SINGLE_OBJECT,
                group,
                rolling,
                mode,
                window,
                limit);
    }

    /** The same task; the folder must be the one of a consumer group. */
    public SinkRequest ofGroup(String name) {
        return new SinkRequest(format, folder, kafka, topics, framing, name, rolling, mode, window, waitLimit);
    }

    /** The same task with another limit; for the modes that end. */
    public SinkRequest withWaitLimit(Duration limit) {
        return new SinkRequest(
                format, folder, kafka, topics, framing, group, rolling, mode, window, Optional.of(limit));
    }
}
