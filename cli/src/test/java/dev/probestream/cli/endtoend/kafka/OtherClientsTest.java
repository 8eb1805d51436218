package dev.probestream.cli.endtoend.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import dev.probestream.broker.EmbeddedBroker;
import dev.probestream.cli.endtoend.fixture.NodeApps;
import dev.probestream.schema.message.Topics;
import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.tools.TopicCommand;
import org.apache.kafka.tools.consumer.ConsoleConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The clients of others read from the embedded broker with the lines of "Other clients" in docs/kafka.md. */
@Tag("deep")
@Timeout(240)
class OtherClientsTest {
    private static final Path PAGE = Path.of("..", "docs", "kafka.md");
    private static final Pattern BLOCK = Pattern.compile("(?ms)^```(\\w+) clients\\n(.*?)^```$");
    private static final int MESSAGES = 100;
    private static final String VALUE = "a value that is long enough for a batch of them to be compressed";

    @TempDir
    private Path folder;

    private EmbeddedBroker broker;

    @BeforeEach
    void publish() throws Exception {
        broker = EmbeddedBroker.start(folder.resolve("probestream-broker"), 0);
        try (Admin admin = Admin.create(new HashMap<>(broker.clientProperties()))) {
            admin.createTopics(List.of(
                            new NewTopic(Topics.METADATA, 1, (short) 1), new NewTopic(Topics.EVENTS, 1, (short) 1)))
                    .all()
                    .get();
        }
        Map<String, Object> properties = new HashMap<>(broker.clientProperties());
        properties.put("compression.type", "lz4"); // as the collector's
        properties.put("linger.ms", 1000);
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(properties, new StringSerializer(), new StringSerializer())) {
            for (int message = 0; message < MESSAGES; message++) {
                Future<?> unused = producer.send(new ProducerRecord<>(Topics.METADATA, key(message), VALUE));
            }
        }
    }

    @AfterEach
    void stop() {
        broker.close();
    }

    @Test
    void kafkasOwnTools() throws Exception {
        program("kafka-topics.sh", TopicCommand.class);
        program("kafka-console-consumer.sh", ConsoleConsumer.class);

        assertThat(output(line("kafka-topics.sh"))).contains(Topics.EVENTS, Topics.METADATA);
        assertThat(output(line("kafka-console-consumer.sh"))).contains(key(0), key(MESSAGES - 1));
    }

    @Test
    void kcat() throws Exception {
        boolean isThere = Stream.of(System.getenv("PATH").split(":"))
                .anyMatch(place -> Files.isExecutable(Path.of(place, "kcat")));
        String missing = "there is no kcat (apt-get install kcat; .ci/run installs it)";
        if (!isThere && "true".equals(System.getenv("CI"))) {
            fail(missing + ", and on CI no test may be skipped");
        }
        Assumptions.assumeTrue(isThere, missing);

        assertThat(output(line("kcat .* -L")))
                .anyMatch(line -> line.contains("topic \"" + Topics.METADATA + "\" with 1 partitions"));
        assertThat(output(line("kcat .* -C")))
                .contains(
                        key(0) + " " + VALUE.length() + " bytes", key(MESSAGES - 1) + " " + VALUE.length() + " bytes");
    }

    @Test
    void kafkajs() throws Exception {
        Files.createSymbolicLink(folder.resolve("node_modules"), NodeApps.modules());
        Files.writeString(folder.resolve("reader.mjs"), block("js"));

        assertThat(outputUntil("exec node reader.mjs 2>&1", key(MESSAGES - 1)))
                .contains(
                        key(0) + " " + VALUE.length() + " bytes", key(MESSAGES - 1) + " " + VALUE.length() + " bytes");
    }

    @Test
    void aJavaClient() throws Exception {
        Files.writeString(folder.resolve("Reader.java"), """
                import java.io.Reader;
                import java.nio.file.*;
                import java.time.Duration;
                import java.util.*;
                import org.apache.kafka.clients.consumer.KafkaConsumer;
                import org.apache.kafka.common.TopicPartition;
                import org.apache.kafka.common.serialization.ByteArrayDeserializer;

                class Program {
                    public static void main(String[] arguments) throws Exception {
                """ + block("java") + """
                        var partition = List.of(new TopicPartition("probestream.metadata", 0));
                        consumer.assign(partition);
                        consumer.seekToBeginning(partition);
                        while (true) {
                            consumer.poll(Duration.ofSeconds(1)).forEach(message -> System.out.println(new String(message.key())));
                        }
                    }
                }
                """);

        assertThat(outputUntil("exec " + java("Reader.java"), key(MESSAGES - 1)))
                .contains(key(0));
    }

    private static String key(int message) {
        return "7/PROBE/" + message;
    }

    private String line(String pattern) throws Exception {
        Pattern wanted = Pattern.compile("^" + pattern + ".*");
        return block("sh")
                .replace("\\\n", " ")
                .lines()
                .filter(line -> wanted.matcher(line).find())
                .findFirst()
                .orElseThrow();
    }

    private String block(String language) throws Exception {
        List<MatchResult> blocks =
                BLOCK.matcher(Files.readString(PAGE)).results().toList();
        return blocks.stream()
                .filter(block -> block.group(1).equals(language))
                .map(block -> block.group(2).replace("127.0.0.1:9092", broker.bootstrapServers()))
                .findFirst()
                .orElseThrow();
    }

    /** A script of Kafka's in the folder, which the shell finds first. */
    private void program(String name, Class<?> main) throws Exception {
        Path script = Files.writeString(folder.resolve(name), "#!/bin/sh\nexec " + java(main.getName()) + " \"$@\"\n");
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
    }

    private static String java(String main) {
        return "'" + Path.of(System.getProperty("java.home"), "bin", "java") + "' -cp '"
                + System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")) + "' " + main;
    }

    private List<String> output(String line) throws Exception {
        Process process = shell(line + " 2>&1");
        List<String> output =
                process.inputReader(StandardCharsets.UTF_8).lines().toList();
        assertThat(process.waitFor()).as("%s: %s", line, output).isZero();
        return output;
    }

    /** What a program prints up to a line that starts so; it is ended then. */
    private List<String> outputUntil(String line, String start) throws Exception {
        Process process = shell(line);
        try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
            List<String> output = new ArrayList<>();
            for (String next = reader.readLine(); next != null; next = reader.readLine()) {
                output.add(next);
                if (next.startsWith(start)) {
                    return output;
                }
            }
            throw new AssertionError("it ended without " + start + ": " + output);
        } finally {
            process.destroyForcibly();
        }
    }

    private Process shell(String line) throws Exception {
        ProcessBuilder command = new ProcessBuilder("sh", "-c", line).directory(folder.toFile());
        command.environment().put("PATH", folder + ":" + System.getenv("PATH"));
        return command.start();
    }
}
