package dev.probestream.cli.endtoend.program;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.LineProgram;
import dev.probestream.cli.endtoend.fixture.MariaDbServer;
import dev.probestream.cli.endtoend.fixture.NodeApps;
import dev.probestream.cli.endtoend.fixture.NodeFixture;
import dev.probestream.cli.endtoend.fixture.NodeVersions;
import dev.probestream.cli.endtoend.fixture.PostgresServer;
import dev.probestream.cli.endtoend.fixture.RecordedFile;
import dev.probestream.cli.endtoend.fixture.RecordedFile.RecordedEvent;
import dev.probestream.cli.endtoend.fixture.RedisServer;
import dev.probestream.cli.node.NodeBinary;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The probe sets node-db and node-statements beside what the application got, and beside the logs of PostgreSQL, MariaDB and Redis. */
@KernelTest(since = "5.8")
class DatabasesTest {
    private static final String SECRET = "PLANTED";
    /** Those that the application sends outside of a transaction only: SLOWLOG has the others when they are executed. */
    private static final List<String> NOT_QUEUED = List.of("SET", "HGET", "INCR", "RPUSH", "LRANGE");

    /** Of statements over a plain connection (0), over TLS (1) and by a Unix socket (2). */
    private static final List<String> OPERATIONS = List.of(
            "postgresql INSERT t0",
            "postgresql SELECT t1",
            "postgresql SELECT missing2",
            "mysql CREATE m0",
            "mysql SELECT m1",
            "mysql UPDATE m2");
    /** Recordings until one has those over TLS: node-statements may set its traps for it late on a busy machine. */
    private static final int TRIES = 20;
    /** Of the application while it is recorded: the first one shows that TLS is used. */
    private static final int RUNS = 2;

    private static final ObjectMapper JSON = new ObjectMapper();
    /** Of a log line: how long it took in milliseconds, and the text. */
    private static final Pattern POSTGRES_LINE =
            Pattern.compile("duration: ([0-9.]+) ms  (?:statement|execute [^:]*): (.*)");

    private static PostgresServer postgres;
    private static MariaDbServer mariaDb;
    private static RedisServer redis;

    @TempDir
    private Path folder;

    @BeforeAll
    static void startServers() throws Exception {
        postgres = PostgresServer.onLoopback();
        mariaDb = MariaDbServer.onLoopback();
        redis = RedisServer.onLoopback();
    }

    @AfterAll
    static void stopServers() throws Exception {
        redis.close();
        mariaDb.close();
        postgres.close();
    }

    /** Each version with each set; node-statements without TLS, the first statements of which it does not see. */
    static Stream<Arguments> sets() throws IOException {
        return NodeVersions.all().stream()
                .flatMap(node ->
                        Stream.of(Arguments.of(node, "node-db", true), Arguments.of(node, "node-statements", false)));
    }

    @ParameterizedTest
    @MethodSource("sets")
    void statementsAreThoseOfTheApplicationAndOfTheServersLogs(NodeBinary node, String set, boolean isTls)
            throws Exception {
        Path recording = folder.resolve("trace.avro");
        int postgresLogged = postgres.log().length();
        int mariaDbLogged = mariaDb.generalLog().length();
        String postgresLog;
        String mariaDbLog;
        JsonNode results;
        Map<String, Integer> monitored;
        Map<String, List<Double>> slowlog;
        redis.forgetSlowlog();
        try (RedisServer.Connection monitor = redis.monitor();
                NodeFixture app = app(node, isTls)) {
            try (CommandRun record = record(app, set, recording, "--show-query")) {
                app.ask("open");
                results = JSON.readTree(app.ask("run"));
                app.ask("close");
                assertThat(record.interrupt().end()).isZero();
            }
            monitored = commands(monitor);
            slowlog = durationsByCommand();
            postgresLog = postgres.log().substring(postgresLogged);
            mariaDbLog = mariaDb.generalLog().substring(mariaDbLogged);
            dropTables();
        }

        RecordedFile recorded = RecordedFile.read(recording);
        List<RecordedEvent> statements = recorded.events("statement");
        assertThat(recorded.lost()).isZero();
        assertThat(recorded.end().getReason()).doesNotContain("databases: ");
        assertThat(recorded.events()).hasSameSizeAs(statements);
        assertThat(outcomes(statements)).isEqualTo(outcomes(results));
        durationsByText(postgresLog)
                .forEach((text, durations) -> assertAtLeast(
                        durations,
                        durations(statements.stream()
                                .filter(statement ->
                                        statement.argument("statement").equals(text))
                                .filter(statement ->
                                        statement.argument("error_code").equals(""))),
                        text));
        assertThat(slowlog).containsOnlyKeys(NOT_QUEUED);
        slowlog.forEach((command, durations) -> assertAtLeast(
                durations,
                durations(statements.stream()
                        .filter(statement -> statement.argument("protocol").equals("redis"))
                        .filter(statement -> statement.argument("operation").equals(command))),
                command));
        for (String protocol : List.of("postgresql", "mysql", "redis")) {
            assertAtLeast(
                    durations(ofApplication(statements)
                            .filter(statement ->
                                    statement.argument("error_code").equals(""))
                            .filter(statement -> statement.argument("protocol").equals(protocol))),
                    waited(results, protocol),
                    protocol);
        }
        assertThat(texts(statements, "mysql").stream().filter(text -> !text.contains("?")))
                .containsExactlyInAnyOrderElementsOf(found("^.*? Query\t(.*)", mariaDbLog));
        assertThat(texts(statements, "mysql").stream().filter(text -> text.contains("?")))
                .hasSameSizeAs(found("^.*? Execute\t(.*)", mariaDbLog));
        Map<String, Integer> ours = new TreeMap<>();
        statements.stream()
                .filter(statement -> statement.argument("protocol").equals("redis"))
                .forEach(statement -> ours.merge(String.valueOf(statement.argument("operation")), 1, Integer::sum));
        assertThat(ours).isEqualTo(monitored);
    }

    @ParameterizedTest
    @ValueSource(strings = {"node-db", "node-statements"})
    void connectionsThatAreOpenAlreadyAreTakenUpAndNoSecretIsRecorded(String set) throws Exception {
        RecordedFile recorded = null;
        try (NodeFixture app = app(NodeFixture.installedNode(), true)) {
            app.ask("open");
            for (int i = 0;
                    i < TRIES && (recorded == null || !operations(recorded).containsAll(OPERATIONS));
                    i++) {
                Path recording = folder.resolve("trace" + i + ".avro");
                try (CommandRun record = record(app, set, recording, "")) {
                    for (int j = 0; j < RUNS; j++) {
                        app.ask("run");
                        dropTables();
                    }
                    assertThat(record.interrupt().end()).isZero();
                }
                recorded = assertNoSecret(recording);
            }
            app.ask("close");
        }

        assertThat(operations(requireNonNull(recorded))).containsAll(OPERATIONS);
        assertThat(recorded.events("statement").stream()
                        .filter(statement -> statement.argument("operation").equals("INSERT m0"))
                        .map(statement -> statement.argument("statement")))
                .hasSize(RUNS)
                .containsOnly("INSERT INTO m0 VALUES (***, ***), (***, ***), (***, ***)");
    }

    private static List<String> operations(RecordedFile recorded) {
        return recorded.events("statement").stream()
                .map(statement -> statement.argument("protocol") + " " + statement.argument("operation"))
                .toList();
    }

    private static RecordedFile assertNoSecret(Path recording) throws IOException {
        assertThat(Files.readString(recording, StandardCharsets.ISO_8859_1)).doesNotContain(SECRET);
        RecordedFile recorded = RecordedFile.read(recording);
        assertThat(recorded.events())
                .allSatisfy(
                        event -> assertThat(String.valueOf(event.arguments())).doesNotContain(SECRET));
        return recorded;
    }

    private NodeFixture app(NodeBinary node, boolean isTls) throws Exception {
        Map<String, Object> addresses = Map.of(
                "postgres", postgres.url(),
                "postgresFolder", postgres.socketFolder().toString(),
                "postgresPort", postgres.port(),
                "mariaDb", mariaDb.url(),
                "mariaDbSocket", mariaDb.socket().toString(),
                "redisPort", redis.port(),
                "redisTlsPort", redis.tlsPort(),
                "redisSocket", redis.socket().toString(),
                "tls", isTls);
        ProcessBuilder command = new ProcessBuilder(
                node.path().toString(),
                NodeFixture.copied(folder, "databases/app.js").toString(),
                JSON.writeValueAsString(addresses));
        command.environment().put("NODE_PATH", NodeApps.modules().toString());
        return NodeFixture.start(command);
    }

    private static CommandRun record(NodeFixture app, String set, Path recording, String option) throws Exception {
        List<String> words = new ArrayList<>(
                List.of("record", "-p", app.pid(), "--probes", set, "--budget", "off", "-o", recording.toString()));
        if (!option.isEmpty()) {
            words.add(option);
        }
        CommandRun record = CommandRun.start(words.toArray(String[]::new));
        record.awaitRecording();
        return record;
    }

    /** The application's tables have the same names each time. */
    private static void dropTables() throws Exception {
        try (LineProgram psql = postgres.psql()) {
            psql.ask("DROP TABLE IF EXISTS t0, t1, t2; SELECT 'dropped';");
        }
        mariaDb.execute("DROP TABLE IF EXISTS m0, m1, m2");
    }

    /** Of Redis' connecting and leaving the application says nothing. */
    private static Stream<RecordedEvent> ofApplication(List<RecordedEvent> statements) {
        return statements.stream()
                .filter(statement -> !List.of("PING", "QUIT").contains(statement.argument("operation")))
                .filter(statement ->
                        !String.valueOf(statement.argument("statement")).startsWith("SET NAMES"));
    }

    /** Each of {@code longer} is at least as long as one of {@code shorter}, and as many. */
    private static void assertAtLeast(List<Double> shorter, List<Double> longer, String of) {
        assertThat(longer).as(of).hasSameSizeAs(shorter);
        for (int i = 0; i < shorter.size(); i++) {
            assertThat(longer.get(i)).as(of).isGreaterThanOrEqualTo(shorter.get(i));
        }
    }

    /** In milliseconds, sorted. */
    private static List<Double> durations(Stream<RecordedEvent> statements) {
        return statements
                .map(statement -> statement.durationNs() / 1e6)
                .sorted()
                .toList();
    }

    /** How long the application waited for each answer but errors, behind which more follows, in milliseconds, sorted. */
    private static List<Double> waited(JsonNode results, String protocol) {
        List<Double> waited = new ArrayList<>();
        results.forEach(result -> {
            if (result.get(0).asText().equals(protocol)
                    && result.get(2).asText().isEmpty()) {
                waited.add(result.get(3).asLong() / 1e6);
            }
        });
        return waited.stream().sorted().toList();
    }

    /** How long Redis executed the commands that are queued in no transaction, in milliseconds, sorted, by their names. */
    private static Map<String, List<Double>> durationsByCommand() throws Exception {
        Map<String, List<Double>> durations = new TreeMap<>();
        for (JsonNode entry : JSON.readTree(redis.slowlog())) {
            String command = entry.path(3).path(0).asText().toUpperCase(Locale.ROOT);
            if (NOT_QUEUED.contains(command)) {
                durations
                        .computeIfAbsent(command, unused -> new ArrayList<>())
                        .add(entry.path(2).asLong() / 1e3);
            }
        }
        durations.values().forEach(list -> list.sort(null));
        return durations;
    }

    /** Protocol, rows and error's code of each statement, sorted. */
    private static List<String> outcomes(List<RecordedEvent> statements) {
        return ofApplication(statements)
                .map(statement -> statement.argument("protocol") + " " + statement.argument("rows") + " "
                        + statement.argument("error_code"))
                .sorted()
                .toList();
    }

    private static List<String> outcomes(JsonNode results) {
        List<String> outcomes = new ArrayList<>();
        results.forEach(result -> outcomes.add(result.get(0).asText() + " "
                + result.get(1).asLong() + " " + result.get(2).asText()));
        return outcomes.stream().sorted().toList();
    }

    private static List<String> texts(List<RecordedEvent> statements, String protocol) {
        return statements.stream()
                .filter(statement -> statement.argument("protocol").equals(protocol))
                .map(statement -> String.valueOf(statement.argument("statement")))
                .toList();
    }

    /** What PostgreSQL logged of statements that succeeded: their durations in milliseconds, sorted, by their texts. */
    private static Map<String, List<Double>> durationsByText(String log) {
        Map<String, List<Double>> durations = new TreeMap<>();
        Matcher line = POSTGRES_LINE.matcher(log);
        while (line.find()) {
            durations.computeIfAbsent(line.group(2), text -> new ArrayList<>()).add(Double.valueOf(line.group(1)));
        }
        durations.values().forEach(list -> list.sort(null));
        return durations;
    }

    private static List<String> found(String pattern, String log) {
        return log.lines()
                .map(Pattern.compile(pattern)::matcher)
                .filter(Matcher::find)
                .map(matcher -> matcher.group(matcher.groupCount()))
                .toList();
    }

    /** How often the monitor saw each command of others until now. */
    private static Map<String, Integer> commands(RedisServer.Connection monitor) throws Exception {
        try (RedisServer.Connection last = redis.connect()) {
            last.ask("echo", "the end");
        }
        Map<String, Integer> commands = new TreeMap<>();
        Pattern name = Pattern.compile("] \"([^\"]+)\"");
        for (String line = monitor.receive(); !line.contains("the end"); line = monitor.receive()) {
            Matcher command = name.matcher(line);
            if (command.find()) {
                commands.merge(command.group(1).toUpperCase(Locale.ROOT), 1, Integer::sum);
            }
        }
        return commands;
    }
}
