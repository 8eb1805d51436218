package dev.probestream.cli.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.NodeFixture;
import dev.probestream.schema.perfetto.Trace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The demo from the command line: all of the way from the probes over Kafka into files. */
@KernelTest(since = "5.8")
class DemoTest {
    @TempDir
    private Path folder;

    private Path demo = Path.of("");

    @BeforeEach
    void requireNode() {
        NodeFixture.installedNode();
        demo = folder.resolve("demo");
    }

    @Test
    void everyEventIsOnceInEachOutput() throws Exception {
        CommandRun run = CommandRun.run("demo", "-o", demo.toString());

        assertThat(run.said()).noneMatch(line -> line.startsWith("probestream demo:"));
        assertThat(run.exitCode()).isZero();
        long recorded = count(run, " events recorded");
        assertThat(recorded).isGreaterThan(1_000);
        assertThat(count(run, " acknowledged by Kafka")).isEqualTo(recorded);
        assertThat(count(run, " in its topic, each number once")).isEqualTo(recorded);
        assertThat(count(run, " in trace.pftrace")).isEqualTo(recorded);
        assertThat(count(run, " in trace.json")).isEqualTo(recorded);
        assertThat(count(run, " rows in Parquet")).isEqualTo(recorded);
        assertThatTablesHold(recorded);
        assertThatQueryReadsThem(recorded);
        assertThatTracesOpen("poll", "futex", "off CPU", "process_name");
        assertThatTheServersCountIsReached(run);
        assertThatNothingElseIsLeft();
    }

    @Test
    void aSignalEndsTheLoadAndWhatWasRecordedIsFinished() throws Exception {
        try (CommandRun run = CommandRun.start("demo", "-o", demo.toString())) {
            run.await("recording node ").interrupt();

            assertThat(run.end()).isZero();
            assertThatTablesHold(count(run, " events recorded"));
            assertThatTheServersCountIsReached(run);
        }
        assertThatNothingElseIsLeft();
    }

    @Test
    @Tag("deep")
    void whatAnEarlierDemoLeftIsReplaced() throws Exception {
        Files.createDirectories(demo.resolve("parquet/spans/day=2001-01-01"));
        Files.writeString(demo.resolve("parquet/spans/day=2001-01-01/older.parquet"), "an older one");
        Files.writeString(demo.resolve("trace.json"), "an older one");
        Files.createDirectories(demo.resolve(".making/broker"));
        Files.writeString(demo.resolve(".making/broker/rest"), "of a demo that was killed");

        try (CommandRun run = CommandRun.start("demo", "-o", demo.toString())) {
            run.await("recording node ").interrupt();

            assertThat(run.end()).isZero();
            assertThatTablesHold(count(run, " events recorded"));
            // What happens until the signal comes depends on the machine.
            assertThatTracesOpen("process_name");
        }
        assertThatNothingElseIsLeft();
    }

    @Test
    void tablesOfSomebodyElseAreNotTouched() throws Exception {
        Path foreign = Files.createDirectories(demo.resolve("parquet")).resolve("thesis.txt");
        Files.writeString(foreign, "years of work");

        CommandRun run = CommandRun.run("demo", "-o", demo.toString());

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.said())
                .last()
                .asString()
                .contains("cannot write tables to " + demo.resolve("parquet"))
                .contains(foreign.toString())
                .contains("-o");
        assertThat(foreign).hasContent("years of work");
    }

    private long openCalls(String table) throws SQLException {
        return number(
                "SELECT count(*) FROM '" + demo + "/parquet/" + table + "/**/*.parquet' WHERE probe = 'uv_fs_open'");
    }

    private void assertThatTablesHold(long events) throws SQLException {
        String rows = "(SELECT capture_id, sequence FROM '" + demo + "/parquet/events/**/*.parquet' UNION ALL"
                + " SELECT capture_id, sequence FROM '" + demo + "/parquet/spans/**/*.parquet')";

        assertThat(number("SELECT count(*) FROM " + rows)).isEqualTo(events);
        assertThat(number("SELECT count(DISTINCT (capture_id, sequence)) FROM " + rows))
                .isEqualTo(events);
        assertThat(number("SELECT delivered FROM '" + demo + "/parquet/captures/*.parquet'"))
                .isEqualTo(events);
    }

    private void assertThatQueryReadsThem(long events) throws Exception {
        String rows = "SELECT (SELECT count(*) FROM events) + (SELECT count(*) FROM spans) AS hits";
        CommandRun query = CommandRun.run("query", demo.resolve("parquet").toString(), rows, "--format", "csv");

        assertThat(query.said()).isEmpty();
        assertThat(query.out().lines()).containsExactly("hits", String.valueOf(events));
    }

    private void assertThatTracesOpen(String... names) throws IOException {
        assertThat(Trace.parseFrom(Files.readAllBytes(demo.resolve("trace.pftrace")))
                        .getPacketCount())
                .isGreaterThan(100);
        JsonNode events =
                new ObjectMapper().readTree(demo.resolve("trace.json").toFile()).get("traceEvents");
        assertThat(events).hasSizeGreaterThan(100);
        assertThat(events.findValuesAsText("name")).contains(names);
    }

    private void assertThatTheServersCountIsReached(CommandRun run) throws SQLException {
        Matcher opened = Pattern.compile("files opened: ([\\d,]+) counted by the server, ([\\d,]+) recorded")
                .matcher(run.out());

        assertThat(opened.find()).isTrue();
        assertThat(opened.group(2)).isEqualTo(opened.group(1));
        // An asynchronous call is a moment, a synchronous one a span.
        assertThat(openCalls("events") + openCalls("spans"))
                .isEqualTo(Long.parseLong(opened.group(1).replace(",", "")));
    }

    private void assertThatNothingElseIsLeft() throws IOException {
        assertThat(names(demo)).containsExactly("parquet", "trace.json", "trace.pftrace");
        assertThat(names(demo.resolve("parquet")))
                .isSubsetOf(
                        "captures",
                        "costs",
                        "events",
                        "gaps",
                        "hit_summaries",
                        "losses",
                        "probes",
                        "processes",
                        "request_events",
                        "requests",
                        "spans",
                        "stacks",
                        "threads");
    }

    private static Set<String> names(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).collect(Collectors.toCollection(TreeSet::new));
        }
    }

    /** The number in front of these words, as the demo printed it. */
    private static long count(CommandRun run, String words) {
        List<String> lines =
                run.out().lines().filter(line -> line.contains(words)).toList();
        assertThat(lines).as("lines with '" + words + "' in " + run.out()).hasSize(1);
        String number = lines.get(0).substring(0, lines.get(0).indexOf(words));
        return Long.parseLong(number.strip().replace(",", ""));
    }

    private static long number(String query) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(query)) {
            result.next();
            return result.getLong(1);
        }
    }
}
