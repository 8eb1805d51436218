package dev.probestream.cli.options;

import dev.probestream.collector.publish.KafkaTopics;
import dev.probestream.schema.message.MessageFraming;
import dev.probestream.schema.message.RegistryFraming.Subjects;
import dev.probestream.schema.message.Topics;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** How a collection creates and fills its topics. */
public final class TopicOptions {
    /** A property of Kafka's producer (org.apache.kafka.clients.producer.ProducerConfig). */
    private static final String COMPRESSION = "compression.type";

    private static final int MAX_PARTITIONS = 10_000;

    @Option(
            names = "--partitions",
            paramLabel = "N",
            order = 16,
            converter = PartitionsConverter.class,
            description = "Partitions of the topic of events, if it is created. Default: 6.")
    private int partitions = KafkaTopics.DEFAULT.eventPartitions();

    @Option(
            names = "--replication-factor",
            paramLabel = "N",
            order = 17,
            converter = ReplicasConverter.class,
            description = "Replicas of topics that are created. Default: the cluster's.")
    private int replicas = KafkaTopics.DEFAULT_OF_BROKER;

    @Option(
            names = "--retention",
            paramLabel = "TIME",
            order = 18,
            converter = RetentionConverter.class,
            description = "How long the topic of events keeps events, by their time, if it is created: 12h, 7d."
                    + " Default: the cluster's.")
    private @Nullable Duration retention;

    @Option(
            names = "--no-create-topics",
            order = 19,
            description = "Create no topic: if one is missing, print the commands that create it, and end.")
    private boolean creationForbidden;

    @Option(
            names = "--compression",
            paramLabel = "NAME",
            order = 20,
            converter = CompressionConverter.class,
            description = "Compression of messages: lz4 (default), zstd, gzip, snappy or none.")
    private @Nullable String compression;

    @Option(
            names = "--subject-names",
            paramLabel = "RULE",
            order = 25,
            converter = SubjectsConverter.class,
            description = "Subjects of the schemas in the registry: topic-record (TOPIC-RECORD, the default) or record"
                    + " (the record's full name alone).")
    private @Nullable Subjects subjects;

    /** Under which subjects schemas are registered; empty if the option was not given. */
    public Optional<Subjects> subjects() {
        return Optional.ofNullable(subjects);
    }

    /** What to create. */
    public KafkaTopics topics(Topics names) {
        return new KafkaTopics(
                names,
                partitions,
                (short) replicas,
                Optional.ofNullable(retention),
                !creationForbidden,
                MessageFraming.SINGLE_OBJECT);
    }

    /** Adds what the options set to the properties of a client. */
    public void addTo(Map<String, String> properties) {
        if (compression != null) {
            properties.put(COMPRESSION, compression);
        }
    }

    static final class PartitionsConverter implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return number(text, MAX_PARTITIONS, "number of partitions");
        }
    }

    static final class ReplicasConverter implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return number(text, Short.MAX_VALUE, "replication factor");
        }
    }

    private static int number(String text, int max, String what) {
        if (text.matches("\\d{1,9}")) {
            int number = Integer.parseInt(text);
            if (number >= 1 && number <= max) {
                return number;
            }
        }
        throw new TypeConversionException("invalid " + what + " '" + text + "': expected 1 to " + max);
    }

    static final class RetentionConverter implements ITypeConverter<Duration> {
        private static final Pattern SYNTAX = Pattern.compile("(\\d{1,6})([mhd])");

        @Override
        public Duration convert(String text) {
            Matcher matcher = SYNTAX.matcher(text);
            if (!matcher.matches() || Long.parseLong(matcher.group(1)) == 0) {
                throw new TypeConversionException("invalid retention '" + text
                        + "': expected a whole number with m, h or d (minutes, hours, days), such as 12h or 7d");
            }
            long count = Long.parseLong(matcher.group(1));
            return switch (matcher.group(2)) {
                case "m" -> Duration.ofMinutes(count);
                case "h" -> Duration.ofHours(count);
                default -> Duration.ofDays(count);
            };
        }
    }

    static final class SubjectsConverter implements ITypeConverter<Subjects> {
        @Override
        public Subjects convert(String text) {
            return switch (text) {
                case "topic-record" -> Subjects.TOPIC_RECORD;
                case "record" -> Subjects.RECORD;
                default ->
                    throw new TypeConversionException(
                            "invalid rule for subjects '" + text + "': expected topic-record or record");
            };
        }
    }

    static final class CompressionConverter implements ITypeConverter<String> {
        private static final List<String> NAMES = List.of("lz4", "zstd", "gzip", "snappy", "none");

        @Override
        public String convert(String text) {
            if (!NAMES.contains(text)) {
                throw new TypeConversionException(
                        "invalid compression '" + text + "': expected one of " + String.join(", ", NAMES));
            }
            return text;
        }
    }
}
