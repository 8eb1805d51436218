package dev.probestream.cli.endtoend.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.broker.EmbeddedBroker;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.FreePort;
import java.io.Reader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class BrokerCommandTest {
    private static final Duration SECONDS_TO_END = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    @Test
    void itSaysWhenItServesAndATerminationEndsIt() throws Exception {
        int port = FreePort.find();
        try (CommandRun run = start(port)) {
            assertThat(run.firstLineOut())
                    .isEqualTo("broker ready at 127.0.0.1:" + port + ", data in " + folder.resolve("data"));
            assertThat(nodes(clientProperties())).isEqualTo(1);
            long startNs = System.nanoTime();

            assertThat(run.terminate().end()).isZero();
            assertThat(Duration.ofNanos(System.nanoTime() - startNs)).isLessThan(SECONDS_TO_END);
            assertThat(run.said()).isEmpty();
            assertThat(run.out().lines())
                    .last()
                    .isEqualTo("for its user only: Probestream's commands find the password, other clients need "
                            + folder.resolve("data/client.properties"));
            assertThat(run.out()).doesNotContain(password());
        }
    }

    @Test
    void withoutAuthenticationItSaysWhatOthersCanDo() throws Exception {
        int port = FreePort.find();
        try (CommandRun run = CommandRun.start(
                "broker", "--data", folder.resolve("data").toString(), "--port", String.valueOf(port), "--no-auth")) {
            run.firstLineOut();
            assertThat(nodes(Map.of("bootstrap.servers", "127.0.0.1:" + port))).isEqualTo(1);

            assertThat(run.terminate().end()).isZero();
            assertThat(run.out().lines())
                    .last()
                    .isEqualTo("open to every user of this machine (--no-auth): they can read, change and delete all"
                            + " events");
        }
    }

    @Test
    void ctrlCEndsItToo() throws Exception {
        try (CommandRun run = start(FreePort.find())) {
            run.firstLineOut();

            assertThat(run.interrupt().end()).isZero();
        }
    }

    @Test
    void aTakenPortIsSaid() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                CommandRun run = start(taken.getLocalPort())) {
            assertThat(run.end()).isEqualTo(1);
            assertThat(run.said())
                    .containsExactly("probestream broker: cannot start a broker on 127.0.0.1:" + taken.getLocalPort()
                            + ": Address already in use; stop the program that uses it, or choose another port with"
                            + " --port");
        }
    }

    @Test
    void aFolderInUseIsSaid() throws Exception {
        try (EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve("data"), 0);
                CommandRun run = start(0)) {
            assertThat(run.end()).isEqualTo(1);
            assertThat(run.said())
                    .containsExactly("probestream broker: cannot keep a broker's data in " + broker.dataFolder()
                            + ": another broker is using it; stop that broker, or choose another folder with --data");
        }
    }

    @Test
    void aPortThatIsNoneIsWrongUsage() throws Exception {
        CommandRun run = CommandRun.run("broker", "--port", "99999");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.said())
                .containsExactly(
                        "probestream broker: Invalid value for option '--port': invalid port '99999': expected a number from 1 to 65535, or 0 for any free port",
                        "Try 'probestream broker --help'.");
    }

    private static int nodes(Map<String, Object> properties) throws Exception {
        try (Admin admin = Admin.create(properties)) {
            return admin.describeCluster().nodes().get().size();
        }
    }

    private Map<String, Object> clientProperties() throws Exception {
        Properties stored = new Properties();
        try (Reader reader = Files.newBufferedReader(folder.resolve("data/client.properties"))) {
            stored.load(reader);
        }
        Map<String, Object> properties = new HashMap<>();
        stored.forEach((name, value) -> properties.put(String.valueOf(name), value));
        return properties;
    }

    private String password() throws Exception {
        return String.valueOf(clientProperties().get("sasl.jaas.config")).replaceAll(".* password=\"|\";", "");
    }

    private CommandRun start(int port) throws Exception {
        return CommandRun.start("broker", "--data", folder.resolve("data").toString(), "--port", String.valueOf(port));
    }
}
