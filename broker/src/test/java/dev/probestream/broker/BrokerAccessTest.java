package dev.probestream.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnsupportedSaslMechanismException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("deep")
@Timeout(240)
class BrokerAccessTest {
    private static final String LOOPBACK = "0100007F";
    private static final String LISTEN = "0A";

    /** A client that is not served tries again until then. */
    private static final String STRANGERS_PATIENCE_MS = "3000";

    private static final String PATIENCE_MS = "60000";

    @TempDir
    private Path folder;

    @Test
    void onlyTheOwnersClientsAreServed() throws Exception {
        try (EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve("data"), 0)) {
            makeTopic(broker.clientProperties(), "events");

            assertThat(topics(broker.clientProperties())).contains("events");
            assertThat(topics(stored(broker))).contains("events");
            assertThatThrownBy(() -> topics(ofStranger("bootstrap.servers", broker.bootstrapServers())))
                    .hasCauseInstanceOf(TimeoutException.class);
            assertThatThrownBy(() -> topics(withWrongPassword(broker.clientProperties())))
                    .hasCauseInstanceOf(SaslAuthenticationException.class);
            assertThatThrownBy(() -> topics(withOtherUser(broker.clientProperties())))
                    .hasCauseInstanceOf(SaslAuthenticationException.class);
        }
    }

    @Test
    void aPlainPasswordIsAcceptedToo() throws Exception {
        try (EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve("data"), 0)) {
            assertThat(topics(plain(broker.clientProperties()))).isEmpty();
            assertThatThrownBy(() -> topics(withWrongPassword(plain(broker.clientProperties()))))
                    .hasCauseInstanceOf(SaslAuthenticationException.class);
            assertThatThrownBy(() -> topics(withOtherUser(plain(broker.clientProperties()))))
                    .hasCauseInstanceOf(SaslAuthenticationException.class);
        }
    }

    @Test
    void clientsOnLibrdkafkaHaveAFileOfTheOwnersOnly() throws Exception {
        try (EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve("data"), 0)) {
            Path file = broker.dataFolder().resolve("librdkafka.properties");
            String password = broker.clientProperties()
                    .getOrDefault("sasl.jaas.config", "")
                    .replaceAll(".* password=\"|\";", "");

            assertThat(mode(file)).isEqualTo("rw-------");
            assertThat(Files.readAllLines(file))
                    .filteredOn(line -> !line.startsWith("#"))
                    .containsExactly(
                            "bootstrap.servers=" + broker.bootstrapServers(),
                            "security.protocol=SASL_PLAINTEXT",
                            "sasl.mechanism=PLAIN",
                            "sasl.username=probestream-owner",
                            "sasl.password=" + password);
        }
    }

    @Test
    void theControllerServesNobodyElse() throws Exception {
        Set<Integer> before = loopbackPorts();
        for (BrokerAccess access : BrokerAccess.values()) {
            try (EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve(access.name()), 0, access)) {
                List<Integer> ports = new ArrayList<>(loopbackPorts());
                ports.removeAll(before);
                ports.removeIf(port -> broker.bootstrapServers().endsWith(":" + port));

                assertThat(ports).hasSize(1);
                String controller = "127.0.0.1:" + ports.get(0);
                assertThatThrownBy(() -> cluster(ofStranger("bootstrap.controllers", controller)))
                        .hasCauseInstanceOf(TimeoutException.class);
                Map<String, String> guess =
                        new HashMap<>(BrokerSecret.generate().clientProperties(controller));
                guess.remove("bootstrap.servers");
                guess.put("bootstrap.controllers", controller);
                assertThatThrownBy(() -> cluster(guess)).hasCauseInstanceOf(SaslAuthenticationException.class);
                assertThatThrownBy(() -> cluster(plain(guess)))
                        .hasCauseInstanceOf(UnsupportedSaslMechanismException.class);
            }
        }
    }

    @Test
    void theFolderAndTheSecretAreTheOwnersOnly() throws Exception {
        Path data = folder.resolve("data");
        try (EmbeddedBroker broker = EmbeddedBroker.start(data, 0)) {
            assertThat(mode(data)).isEqualTo("rwx------");
            assertThat(mode(broker.clientPropertiesFile().orElseThrow())).isEqualTo("rw-------");
        }
    }

    @Test
    void theSecretStaysTheSameAfterARestart() throws Exception {
        Path data = folder.resolve("data");
        Map<String, String> first;
        try (EmbeddedBroker broker = EmbeddedBroker.start(data, 0)) {
            first = broker.clientProperties();
        }
        try (EmbeddedBroker broker = EmbeddedBroker.start(data, 0)) {
            Map<String, String> second = new HashMap<>(first);
            second.put("bootstrap.servers", broker.bootstrapServers());

            assertThat(topics(second)).isEmpty();
        }
    }

    @Test
    void anOpenFolderOfAnEarlierVersionIsServedAndClosed() throws Exception {
        Path data = Files.createDirectory(folder.resolve("data"));
        try (EmbeddedBroker broker = EmbeddedBroker.start(data, 0, BrokerAccess.EVERYONE)) {
            makeTopic(broker.clientProperties(), "old");
        }
        Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxr-xr-x"));

        try (EmbeddedBroker broker = EmbeddedBroker.start(data, 0)) {
            assertThat(mode(data)).isEqualTo("rwx------");
            assertThat(topics(broker.clientProperties())).contains("old");
            assertThatThrownBy(() -> topics(ofStranger("bootstrap.servers", broker.bootstrapServers())))
                    .hasCauseInstanceOf(TimeoutException.class);
        }
    }

    @Test
    void everyoneIsServedIfThatIsWanted() throws Exception {
        try (EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve("data"), 0, BrokerAccess.EVERYONE)) {
            assertThat(broker.clientProperties()).containsOnlyKeys("bootstrap.servers");
            assertThat(broker.clientPropertiesFile()).isEmpty();
            assertThat(topics(broker.clientProperties())).isEmpty();
        }
    }

    private static void makeTopic(Map<String, String> properties, String name) throws Exception {
        try (Admin admin = admin(properties)) {
            admin.createTopics(List.of(new NewTopic(name, 1, (short) 1))).all().get();
        }
    }

    private static Set<String> topics(Map<String, String> properties) throws ExecutionException, InterruptedException {
        try (Admin admin = admin(properties)) {
            return admin.listTopics().names().get();
        }
    }

    private static String cluster(Map<String, String> properties) throws ExecutionException, InterruptedException {
        try (Admin admin = admin(properties)) {
            return admin.describeCluster().clusterId().get();
        }
    }

    private static Map<String, String> stored(EmbeddedBroker broker) throws IOException {
        Properties stored = new Properties();
        try (Reader reader =
                Files.newBufferedReader(broker.clientPropertiesFile().orElseThrow())) {
            stored.load(reader);
        }
        Map<String, String> properties = new HashMap<>();
        stored.stringPropertyNames().forEach(name -> properties.put(name, stored.getProperty(name)));
        return properties;
    }

    private static Admin admin(Map<String, String> properties) {
        Map<String, Object> all = new HashMap<>();
        all.put("default.api.timeout.ms", PATIENCE_MS);
        all.put("request.timeout.ms", PATIENCE_MS);
        all.putAll(properties);
        return Admin.create(all);
    }

    private static Map<String, String> ofStranger(String addressProperty, String address) {
        return Map.of(
                addressProperty,
                address,
                "default.api.timeout.ms",
                STRANGERS_PATIENCE_MS,
                "request.timeout.ms",
                STRANGERS_PATIENCE_MS);
    }

    private static Map<String, String> plain(Map<String, String> properties) {
        Map<String, String> changed = with(properties, "scram.ScramLoginModule", "plain.PlainLoginModule");
        changed.put("sasl.mechanism", "PLAIN");
        return changed;
    }

    private static Map<String, String> withWrongPassword(Map<String, String> properties) {
        return with(properties, " password=\"[^\"]*\"", " password=\"guess\"");
    }

    private static Map<String, String> withOtherUser(Map<String, String> properties) {
        return with(properties, " username=\"[^\"]*\"", " username=\"ANONYMOUS\"");
    }

    private static Map<String, String> with(Map<String, String> properties, String pattern, String replacement) {
        Map<String, String> changed = new HashMap<>(properties);
        changed.computeIfPresent("sasl.jaas.config", (name, jaas) -> jaas.replaceFirst(pattern, replacement));
        return changed;
    }

    private static String mode(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    /** The ports of this process at 127.0.0.1, from /proc/net/tcp and tcp6 (proc(5)) and the links of its sockets. */
    private static Set<Integer> loopbackPorts() throws IOException {
        Set<String> ours = new HashSet<>();
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            for (Path descriptor : descriptors.toList()) {
                if (Files.isSymbolicLink(descriptor)) {
                    Matcher socket = Pattern.compile("socket:\\[(\\d+)]")
                            .matcher(Files.readSymbolicLink(descriptor).toString());
                    if (socket.matches()) {
                        ours.add(socket.group(1));
                    }
                }
            }
        }
        Set<Integer> ports = new HashSet<>();
        for (String table : List.of("/proc/self/net/tcp", "/proc/self/net/tcp6")) {
            for (String line : Files.readAllLines(Path.of(table))) {
                String[] fields = line.strip().split("\\s+");
                if (fields[3].equals(LISTEN) && fields[1].contains(LOOPBACK + ":") && ours.contains(fields[9])) {
                    ports.add(Integer.parseInt(fields[1].substring(fields[1].indexOf(':') + 1), 16));
                }
            }
        }
        return ports;
    }
}
