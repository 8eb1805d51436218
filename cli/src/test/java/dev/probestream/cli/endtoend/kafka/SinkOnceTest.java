package dev.probestream.cli.endtoend.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.broker.EmbeddedBroker;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.schema.message.Topics;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What {@code sink --once} says about a topic with messages of others only. */
@Timeout(120)
class SinkOnceTest {
    private static final int PARTITIONS = 6;
    private static final int STRAY = 300;

    @TempDir
    private Path folder;

    private EmbeddedBroker broker;

    @BeforeEach
    void publish() throws Exception {
        broker = EmbeddedBroker.start(folder.resolve("broker"), 0);
        try (Admin admin = Admin.create(new HashMap<>(broker.clientProperties()))) {
            admin.createTopics(List.of(
                            new NewTopic(Topics.METADATA, 1, (short) 1),
                            new NewTopic(Topics.EVENTS, PARTITIONS, (short) 1)))
                    .all()
                    .get();
        }
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                new HashMap<>(broker.clientProperties()), new ByteArraySerializer(), new ByteArraySerializer())) {
            for (int stray = 0; stray < STRAY; stray++) {
                byte[] value = ("{\"number\": " + stray + "}").getBytes(StandardCharsets.UTF_8);
                Future<?> unused = producer.send(new ProducerRecord<>(Topics.EVENTS, stray % PARTITIONS, null, value));
            }
        }
    }

    @AfterEach
    void stop() {
        broker.close();
    }

    private CommandRun run(String output, String... more) throws Exception {
        Path config = folder.resolve("broker/client.properties");
        List<String> arguments = new ArrayList<>(List.of(
                "sink",
                "parquet",
                "--once",
                "--kafka",
                broker.bootstrapServers(),
                "--kafka-config",
                config.toString(),
                "-o",
                folder.resolve(output).toString()));
        arguments.addAll(List.of(more));
        return CommandRun.run(arguments.toArray(String[]::new));
    }

    @Test
    void messagesOfOthersAreOneLineWithTheirNumberAndNoFile() throws Exception {
        CommandRun run = run("out");

        assertThat(run.exitCode()).isZero();
        assertThat(run.said())
                .filteredOn(line -> line.contains("left out"))
                .singleElement()
                .asString()
                .contains(
                        "left out 300 messages of the topic that are no events of a collector, or copies from another partition; the first, at offset"
                                + " 0 of partition 0: ");
        try (var files = Files.list(folder.resolve("out"))) {
            assertThat(files).containsExactly(folder.resolve("out/.probestream"));
        }
    }

    @Test
    void aGroupsSecondFolderIsRefused() throws Exception {
        assertThat(run("out", "--group", "g").exitCode()).isZero();

        CommandRun refused = run("other", "--group", "g");

        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.said())
                .last()
                .asString()
                .contains(folder.resolve("other") + " as a member of the consumer group g: the group writes to ")
                .contains(folder.resolve("out").toString());
    }
}
