package dev.probestream.cli.endtoend.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.broker.BrokerAccess;
import dev.probestream.broker.EmbeddedBroker;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a user reads when something about Kafka is wrong: the message, the exit code, never a stack trace or a secret. */
@Timeout(120)
class KafkaBadInputTest {
    private static final String SECRET = "geheim-42";

    @TempDir
    private Path folder;

    @Test
    void collectMustKnowWhereKafkaIs() throws Exception {
        expect(
                CommandRun.run("collect", "-p", "1"),
                2,
                "probestream collect: the address of Kafka is missing: use --kafka HOST:PORT or --embedded",
                "Try 'probestream collect --help'.");
    }

    @Test
    void oneBrokerIsEnough() throws Exception {
        expect(
                CommandRun.run("collect", "-p", "1", "--embedded", "--kafka", "a:1"),
                2,
                "probestream collect: --kafka and --embedded exclude each other: --kafka names a running broker, --embedded starts one",
                "Try 'probestream collect --help'.");
    }

    @Test
    void anAddressNeedsAPort() throws Exception {
        expect(
                CommandRun.run("sink", "perfetto", "--kafka", "kafka1:9092,kafka2", "-o", folder.toString()),
                2,
                "probestream sink: --kafka: invalid address 'kafka2': expected HOST:PORT, such as localhost:9092",
                "Try 'probestream sink --help'.");
    }

    @Test
    void aSinkMustKnowWhatToWrite() throws Exception {
        CommandRun run = CommandRun.run("sink", "avro", "--kafka", "a:1", "-o", folder.toString());

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.said().get(0)).endsWith("invalid format 'avro': expected one of perfetto, chrome, parquet");
    }

    @Test
    void optionsOfTopicsAreChecked() throws Exception {
        refuse("--partitions", "0", "invalid number of partitions '0': expected 1 to 10000");
        refuse("--replication-factor", "two", "invalid replication factor 'two': expected 1 to 32767");
        refuse(
                "--retention",
                "7",
                "invalid retention '7': expected a whole number with m, h or d (minutes, hours, days), such as 12h or 7d");
        refuse(
                "--topic-prefix",
                "a b",
                "invalid prefix of topics 'a b': expected up to 200 letters, digits, '.', '_' or '-', such as team-a.probestream");
        refuse("--compression", "zip", "invalid compression 'zip': expected one of lz4, zstd, gzip, snappy, none");
    }

    @Test
    void optionsOfTheSchemaRegistryAreChecked() throws Exception {
        refuse(
                "--schema-registry",
                "http://user:" + SECRET + "@h:8081",
                "the URL must contain no user and no password, which all users of this machine could read; write"
                        + " basic.auth.user.info=USER:PASSWORD into the file of --schema-registry-config");
        refuse("--schema-registry-config", "x", "--schema-registry-config needs --schema-registry URL");
        refuse("--subject-names", "record", "--subject-names needs --schema-registry URL");
        refuse("--subject-names", "topic", "invalid rule for subjects 'topic': expected topic-record or record");
    }

    @Test
    void propertiesOfTheSchemaRegistryAreCheckedWithoutShowingThem() throws Exception {
        Path config = Files.writeString(folder.resolve("registry.properties"), "basic.auth.userinfo=" + SECRET + "\n");
        CommandRun run = CommandRun.run(
                "collect",
                "-p",
                "1",
                "--kafka",
                "a:1",
                "--schema-registry",
                "http://127.0.0.1:1",
                "--schema-registry-config",
                config.toString());

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.said())
                .last()
                .asString()
                .contains("basic.auth.userinfo is unknown; known are basic.auth.user.info, ")
                .doesNotContain(SECRET);
    }

    private static void refuse(String option, String value, String message) throws Exception {
        CommandRun run = CommandRun.run("collect", "-p", "1", "--kafka", "a:1", option, value);

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.said().get(0)).endsWith(message);
    }

    @Test
    void aWindowIsNoPartOfAGroup() throws Exception {
        CommandRun run = CommandRun.run(
                "sink", "chrome", "--kafka", "a:1", "-o", folder.toString(), "--group", "g", "--capture", "7");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.said().get(0))
                .startsWith("probestream sink: --group cannot be combined with --capture, --from or --to");
    }

    @Test
    void aSinkThatDoesNotEndHasNoTimeout() throws Exception {
        CommandRun run = CommandRun.run("sink", "chrome", "--kafka", "a:1", "-o", folder.toString(), "--timeout", "5s");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.said().get(0)).startsWith("probestream sink: --timeout needs --once, --capture, --from or --to");
    }

    @Test
    void aSinkThatIsToEndFailsWithoutABrokerAfterItsTimeout() throws Exception {
        CommandRun run = CommandRun.run(
                "sink", "chrome", "--kafka", "127.0.0.1:1", "-o", folder.toString(), "--once", "--timeout", "1s");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.said())
                .last()
                .asString()
                .startsWith("probestream sink: cannot start: no Kafka broker answered at 127.0.0.1:1 for 1 s (");
    }

    @Test
    void aMomentIsWrittenInOneWay() throws Exception {
        CommandRun run =
                CommandRun.run("sink", "chrome", "--kafka", "a:1", "-o", folder.toString(), "--from", "yesterday");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.said().get(0))
                .endsWith(
                        "invalid timestamp 'yesterday': expected ISO 8601 with Z or an offset, such as 2026-11-21T14:03:00Z");
    }

    @Test
    void aMetricsPortThatIsTakenIsSaidBeforeAnythingElse() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String port = String.valueOf(taken.getLocalPort());
            expect(
                    CommandRun.run("sink", "chrome", "--kafka", "a:1", "-o", folder.toString(), "--metrics-port", port),
                    1,
                    "probestream sink: cannot serve metrics on 127.0.0.1:" + port
                            + ": Address already in use; use another port with --metrics-port");
        }
    }

    @Test
    void aFolderThatCannotBeUsedIsNamedBeforeABrokerIsWaitedFor() throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "x");
        expect(
                CommandRun.run("sink", "parquet", "--kafka", "127.0.0.1:1", "-o", file.toString()),
                1,
                "probestream sink: cannot open a sink in " + file + ": " + file
                        + " is a file, not a folder; name another folder");
    }

    @Test
    @KernelTest(since = "5.8")
    void aHostThatNobodyKnowsIsSaid() throws Exception {
        CommandRun run = collect("--kafka", "no-such-host.invalid:9092");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.said())
                .last()
                .asString()
                .contains("no-such-host.invalid:9092")
                .contains("check the address");
    }

    @Test
    @KernelTest(since = "5.8")
    void aPortWhereNobodyListensIsSaidAfterTheTimeThatTheUserGivesIt() throws Exception {
        Path config = Files.writeString(
                folder.resolve("client.properties"), "delivery.timeout.ms=2000\nrequest.timeout.ms=1000\n");
        CommandRun run = collect("--kafka", "127.0.0.1:1", "--kafka-config", config.toString());

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.said()).last().asString().contains("127.0.0.1:1").contains("check that the broker is running");
    }

    @Test
    @KernelTest(since = "5.8")
    void aSchemaRegistryThatIsNotThereEndsACollection() throws Exception {
        CommandRun run = collect("--kafka", "127.0.0.1:1", "--schema-registry", "http://127.0.0.1:1");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.said())
                .last()
                .asString()
                .isEqualTo("probestream collect: register a schema under the subject"
                        + " probestream.events-dev.probestream.schema.record.Event in the schema registry at"
                        + " http://127.0.0.1:1: connection refused; check the URL of --schema-registry, and that the"
                        + " registry is running");
    }

    @Test
    @KernelTest(since = "5.8")
    void aBrokerThatWantsNoPasswordIsSaidAndThePasswordIsNot() throws Exception {
        Path config = Files.writeString(
                folder.resolve("client.properties"),
                "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN\n"
                        + "sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required"
                        + " username=\"u\" password=\"" + SECRET + "\";\n");
        try (EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve("data"), 0, BrokerAccess.EVERYONE)) {
            CommandRun run = collect("--kafka", broker.bootstrapServers(), "--kafka-config", config.toString());

            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.said()).last().asString().contains("check security.protocol and the sasl.* properties");
            assertThat(String.join("\n", run.said())).doesNotContain(SECRET);
        }
    }

    @Test
    @KernelTest(since = "5.8")
    void aLoginThatCannotBeReadIsSaidWithoutIt() throws Exception {
        Path config = Files.writeString(
                folder.resolve("client.properties"),
                "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN\nsasl.jaas.config=" + SECRET + "\n");
        CommandRun run = collect("--kafka", "127.0.0.1:1", "--kafka-config", config.toString());

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(String.join("\n", run.said())).contains("JAAS").doesNotContain(SECRET);
    }

    private static CommandRun collect(String... more) throws Exception {
        List<String> arguments = new ArrayList<>(
                List.of("collect", "-p", String.valueOf(ProcessHandle.current().pid()), "--probes", "sched"));
        arguments.addAll(List.of(more));
        return CommandRun.run(arguments.toArray(String[]::new));
    }

    private static void expect(CommandRun run, int exitCode, String... lines) {
        assertThat(run.said()).containsExactly(lines);
        assertThat(run.exitCode()).isEqualTo(exitCode);
    }
}
