package dev.probestream.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(180)
class EmbeddedBrokerTest {
    private static final TopicPartition TOPIC = new TopicPartition("kept", 0);

    @TempDir
    private Path folder;

    @Test
    void whatWasSentIsThereAfterARestart() throws Exception {
        String clusterId;
        try (EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve("data"), 0)) {
            clusterId = makeTopic(broker);
            send(broker, "one");
        }
        try (EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve("data"), 0)) {
            send(broker, "two");

            assertThat(read(broker, 2)).containsExactly("one", "two");
            assertThat(clusterId(broker)).isEqualTo(clusterId);
        }
    }

    @Test
    void aTakenPortIsSaid() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> EmbeddedBroker.start(folder, taken.getLocalPort()))
                    .isInstanceOf(BrokerException.class)
                    .hasMessage("cannot start a broker on 127.0.0.1:" + taken.getLocalPort()
                            + ": Address already in use; stop the program that uses it, or choose another port with"
                            + " --port");
        }
    }

    /** A broker registers before it opens its port: another that is about to open the same one must not take its place. */
    @Test
    void aPortThatAnotherBrokerIsAboutToOpenIsSaid() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        BrokerSecret secret = BrokerSecret.generate();
        assertThat(BrokerRegistry.register(secret, port)).isTrue();
        try {
            assertThatThrownBy(() -> EmbeddedBroker.start(folder, port))
                    .isInstanceOf(BrokerException.class)
                    .hasMessageContaining("127.0.0.1:" + port)
                    .hasMessageContaining("another broker of this user starts on this port");
            assertThat(BrokerRegistry.clientProperties(port)).contains(secret.clientProperties("127.0.0.1:" + port));
        } finally {
            BrokerRegistry.unregister(port);
        }
    }

    @Test
    void aFolderInUseIsSaidAndUnharmed() throws Exception {
        try (EmbeddedBroker broker = EmbeddedBroker.start(folder, 0)) {
            makeTopic(broker);
            assertThatThrownBy(() -> EmbeddedBroker.start(folder, 0))
                    .isInstanceOf(BrokerException.class)
                    .hasMessageContaining(folder + ": another broker is using it");
            send(broker, "still served");

            assertThat(read(broker, 1)).containsExactly("still served");
        }
    }

    @Test
    void aFolderOfSomebodyElseIsLeftAlone() throws Exception {
        Path text = Files.writeString(folder.resolve("thesis.txt"), "years of work");

        assertThatThrownBy(() -> EmbeddedBroker.start(folder, 0))
                .isInstanceOf(BrokerException.class)
                .hasMessageContaining("it contains other files, such as thesis.txt; choose an empty folder");
        assertThat(text).hasContent("years of work");
    }

    @Test
    void damagedPropertiesAreSaid() throws Exception {
        Files.writeString(folder.resolve("meta.properties"), "version=1\ncluster.id=another\nnode.id=7\n");

        assertThatThrownBy(() -> EmbeddedBroker.start(folder, 0))
                .isInstanceOf(BrokerException.class)
                .hasMessageContaining(folder.toString());
    }

    private static String makeTopic(EmbeddedBroker broker) throws Exception {
        try (Admin admin = Admin.create(new HashMap<>(broker.clientProperties()))) {
            admin.createTopics(List.of(new NewTopic(TOPIC.topic(), Optional.of(1), Optional.of((short) 1))))
                    .all()
                    .get();
            return admin.describeCluster().clusterId().get();
        }
    }

    private static String clusterId(EmbeddedBroker broker) throws Exception {
        try (Admin admin = Admin.create(new HashMap<>(broker.clientProperties()))) {
            return admin.describeCluster().clusterId().get();
        }
    }

    private static void send(EmbeddedBroker broker, String text) throws Exception {
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                new HashMap<>(broker.clientProperties()), new ByteArraySerializer(), new ByteArraySerializer())) {
            producer.send(new ProducerRecord<>(TOPIC.topic(), text.getBytes(StandardCharsets.UTF_8)))
                    .get();
        }
    }

    private static List<String> read(EmbeddedBroker broker, int count) {
        List<String> texts = new ArrayList<>();
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                new HashMap<>(broker.clientProperties()), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.assign(List.of(TOPIC));
            consumer.seekToBeginning(List.of(TOPIC));
            while (texts.size() < count) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
                    texts.add(new String(record.value(), StandardCharsets.UTF_8));
                }
            }
        }
        return texts;
    }
}
