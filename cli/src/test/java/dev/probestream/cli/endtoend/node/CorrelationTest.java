package dev.probestream.cli.endtoend.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.DuckDb;
import dev.probestream.cli.endtoend.fixture.MariaDbServer;
import dev.probestream.cli.endtoend.fixture.NodeApps;
import dev.probestream.cli.endtoend.fixture.NodeFixture;
import dev.probestream.cli.endtoend.fixture.NodeVersions;
import dev.probestream.cli.endtoend.fixture.PostgresServer;
import dev.probestream.cli.endtoend.fixture.RecordedFile;
import dev.probestream.cli.endtoend.fixture.RedisServer;
import dev.probestream.cli.node.NodeBinary;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whether what requests do is found to be theirs: twenty at a time go on in the same way (testdata/node/correlation), and each touches files
 * and sends statements and requests that bear its number.
 */
@KernelTest(since = "5.8")
class CorrelationTest {
    private static final String FOLDER = "correlation/";
    /** The requests of a way that the client makes at once. */
    private static final int CONCURRENT = 20;

    /** So many ways are gone before those that count: at first, objects and functions are not known yet. */
    private static final int WAYS_BEFORE = 120;

    /**
     * How often each way is gone so that it counts. What is wrong counts in each round, how much is known in the best one: V8 may compile a
     * function anew just before a round, and until its code is read, what it does is unknown.
     */
    private static final int ROUNDS = 3;

    private static final String FEW_WAYS = "callbacks,awaits,timers,immediates,emitters,agent";
    private static final String WAYS =
            "callbacks,awaits,all,timers,sleeps,immediates,ticks,emitters,streams,limit,workers,agent,fetch,multiplexed";
    private static final String WAYS_TO_DATABASES = ",postgres,postgrescallbacks,mysql,redis,waiting";

    /** Here requests go on from what others do, so that most is unknown. A queue that is served without AsyncResource is its first request's. */
    private static final String WAYS_OF_HANDING_OVER = ",permits,bound,pipelined,gathering";

    private static final String WAYS_OF_SERVING = ",served";

    /** Behind a way: the requests at which the objects and functions of this way are seen for the first time. */
    private static final String FIRST = " at first";

    /** What is of one number: found to be its request's, another's, or of no request. */
    private record Tally(long right, long wrong, long unassigned) {
        static final Tally NONE = new Tally(0, 0, 0);

        /** What counts where most may be unknown: only what is wrong. */
        Tally onlyWrong() {
            return new Tally(0, wrong, 0);
        }

        Tally plus(Tally other) {
            return new Tally(right + other.right, wrong + other.wrong, unassigned + other.unassigned);
        }

        double share() {
            long all = right + wrong + unassigned;
            return all == 0 ? 0 : (double) right / all;
        }
    }

    /** Started by the first test that needs them. */
    private static @Nullable Databases databases;

    /** The servers that the application asks. */
    private record Databases(PostgresServer postgres, MariaDbServer mysql, RedisServer redis) implements AutoCloseable {
        static Databases start() throws Exception {
            return new Databases(PostgresServer.onLoopback(), MariaDbServer.onLoopback(), RedisServer.onLoopback());
        }

        String urls() {
            return String.format(
                    "{\"postgres\":\"%s\",\"mysql\":\"%s\",\"redis\":\"redis://127.0.0.1:%d\"}",
                    postgres.url(), mysql.url(), redis.port());
        }

        @Override
        public void close() throws IOException {
            redis.close();
            mysql.close();
            postgres.close();
        }
    }

    @TempDir
    private Path folder;

    @Test
    void whatFollowsFromARequestIsItsOwn() throws Exception {
        Tally all = record(NodeFixture.installedNode(), List.of(), FEW_WAYS, "{}", "node-*");

        assertThat(all.share()).isGreaterThan(0.9);
    }

    @Tag("deep")
    @ParameterizedTest
    @MethodSource("versions")
    void noneOfAnotherRequestOnAnyVersion(NodeBinary node) throws Exception {
        Tally all = recordWithDatabases(node, List.of(), WAYS_OF_SERVING);

        assertThat(all.share()).isGreaterThan(0.9);
    }

    @Tag("deep")
    @Test
    void noneOfAnotherRequestWithThePackage() throws Exception {
        NodeBinary node = node24();
        Tally all = recordWithDatabases(node, withPackage(node), "");

        assertThat(all.share()).isGreaterThan(0.95);
    }

    @Tag("deep")
    @Test
    void allOfStreamsOfOneSessionOfHttp2WithThePackage() throws Exception {
        NodeBinary node = node24();
        Tally all = record(node, withPackage(node), "multiplexed,multiplexedgathering", "{}", "node-http2,node-fs");

        assertThat(all.unassigned).isZero();
        assertThat(all.right).isGreaterThanOrEqualTo(20 * (5 + 2));
    }

    /** V8 carries the package's numbers from Node 24 on. */
    private static NodeBinary node24() throws IOException {
        return NodeVersions.all().stream()
                .filter(each -> each.path().endsWith("node24"))
                .findFirst()
                .orElseGet(() -> Assumptions.abort("there is no node24 in $PROBESTREAM_NODES"));
    }

    private List<String> withPackage(NodeBinary node) throws Exception {
        NodePackage nodePackage = NodePackage.build(node, folder.resolve("package"));
        return List.of("-r", nodePackage.folder().toString());
    }

    static List<NodeBinary> versions() throws IOException {
        return NodeVersions.all();
    }

    private Tally recordWithDatabases(NodeBinary node, List<String> options, String more) throws Exception {
        Databases running = databases;
        if (running == null) {
            running = Databases.start();
            databases = running;
        }
        return record(node, options, WAYS + WAYS_TO_DATABASES + WAYS_OF_HANDING_OVER + more, running.urls(), "node-*");
    }

    @AfterAll
    static void stopDatabases() throws Exception {
        if (databases != null) {
            databases.close();
            databases = null;
        }
    }

    /**
     * Lets the application serve while it is recorded, in each way several times, counts, and asserts that nothing is found to be another
     * request's. Pools have made their connections before; with
     * options, which are those of the package, they make them for requests that are recorded.
     */
    private Tally record(NodeBinary node, List<String> options, String ways, String urls, String probes)
            throws Exception {
        String recording = folder.resolve("ways.avro").toString();
        NodeFixture.copied(folder, FOLDER + "worker.js");
        try (NodeFixture app = start(node, options, "app.js");
                NodeFixture client = start(node, List.of(), "client.js")) {
            String port = app.ask("ports " + urls);
            String asking = "ask " + port + " %d " + ways;
            if (options.isEmpty()) {
                assertThat(client.ask(String.format(asking, 0))).isEqualTo("done");
            }
            try (CommandRun record = CommandRun.start(
                    "record",
                    "-p",
                    app.pid(),
                    "-o",
                    recording,
                    "--probes",
                    probes,
                    "--ring-size",
                    "64M",
                    "--budget",
                    "off",
                    "--show-query")) {
                record.awaitRecording();
                for (int round = 0; round < WAYS_BEFORE / ways.split(",").length; round++) {
                    assertThat(client.ask(String.format(asking, 0))).isEqualTo("done");
                }
                for (int round = 1; round <= ROUNDS; round++) {
                    assertThat(client.ask(String.format(asking, round * CONCURRENT)))
                            .isEqualTo("done");
                }
                assertThat(record.interrupt().end()).isZero();
            }
        }
        CommandRun convert = CommandRun.run("convert", recording, "-o", folder.resolve("tables") + "/");
        assertThat(convert.exitCode()).as("%s", convert.said()).isZero();
        assertThat(RecordedFile.read(Path.of(recording)).lost()).isZero();
        return tally(node, options);
    }

    private NodeFixture start(NodeBinary node, List<String> options, String script) throws Exception {
        List<String> command = new ArrayList<>(List.of(node.path().toString()));
        command.addAll(options);
        command.add(NodeFixture.copied(folder, FOLDER + script).toString());
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("NODE_PATH", NodeApps.modules().toString());
        return NodeFixture.start(builder);
    }

    private Tally tally(NodeBinary node, List<String> options) throws Exception {
        Map<Integer, Map<String, Tally>> byRound = new TreeMap<>();
        for (Map<String, Object> row : DuckDb.rows(counts())) {
            Tally tally = new Tally(number(row, "yes"), number(row, "no"), number(row, "unknown"));
            int round = (int) number(row, "round");
            String first = round == 0 ? FIRST : "";
            byRound.computeIfAbsent(round, each -> new TreeMap<>())
                    .merge(row.get("way") + " " + row.get("what") + first, tally, Tally::plus);
        }
        assertThat(byRound).hasSize(1 + ROUNDS);
        Tally best = Tally.NONE;
        for (Map<String, Tally> byWay : byRound.values()) {
            Tally all = byWay.entrySet().stream()
                    .map(way -> mayBeUnknown(way.getKey()) ? way.getValue().onlyWrong() : way.getValue())
                    .reduce(Tally.NONE, Tally::plus);
            print(node, options, all, byWay);
            best = all.share() > best.share() ? all : best;
        }
        assertThat(DuckDb.rows(wrong()))
                .as("what was found to be another request's")
                .isEmpty();
        return best;
    }

    private static void print(NodeBinary node, List<String> options, Tally all, Map<String, Tally> byWay) {
        System.out.printf(
                "%s %s: %.1f %% right of %s%n%s%n",
                node.path().getFileName(),
                options,
                100 * all.share(),
                all,
                byWay.entrySet().stream()
                        .map(way -> String.format("  %-30s %s", way.getKey(), way.getValue()))
                        .collect(Collectors.joining("\n")));
    }

    private static boolean mayBeUnknown(String wayAndWhat) {
        String way = wayAndWhat.substring(0, wayAndWhat.indexOf(' '));
        return wayAndWhat.endsWith(FIRST) || (WAYS_OF_HANDING_OVER + WAYS_OF_SERVING + ",").contains("," + way + ",");
    }

    /** Files by the name in their path, what goes out by the name in its URL, statement or key. */
    private String counts() {
        return compared() + " SELECT way, what, round, count(*) FILTER (starts_with(url, expected)) AS yes,"
                + " count(*) FILTER (NOT starts_with(url, expected)) AS no, count(*) FILTER (url IS NULL) AS unknown"
                + " FROM compared GROUP BY ALL";
    }

    /** What was found to be another request's: what it is, whose, and by which source. */
    private String wrong() {
        return compared() + " SELECT concat_ws(' ', what, name, 'is of', url, 'by', source) AS wrong FROM compared"
                + " WHERE NOT starts_with(url, expected) ORDER BY ALL";
    }

    private String compared() {
        String files =
                "SELECT 'file' AS what, regexp_extract(s0, '[a-z]+-\\d+-\\d+$') AS name, capture_id, sequence, probe, s0 FROM ";
        String found = "regexp_extract(name, '^[a-z]+')";
        String n = "regexp_extract(name, '-(\\d+)', 1)";
        String round = n + "::INT // " + CONCURRENT + " AS round";
        return "WITH servers AS (SELECT capture_id, request_id, url FROM " + table("requests")
                + " WHERE side = 'SERVER'),"
                + " hits AS (" + files + table("events") + " UNION ALL " + files + table("spans") + "),"
                + " touched AS (SELECT what, name, url, source FROM hits LEFT JOIN " + table("request_events")
                + " USING (capture_id, sequence) LEFT JOIN servers USING (capture_id, request_id)"
                + " WHERE probe IN ('uv_fs_open', 'uv_fs_stat') AND name <> ''),"
                + " ordered AS (SELECT coalesce(protocol, 'http') AS what,"
                + " regexp_extract(coalesce(statement, c.url, ''), '[a-z]+-\\d+') AS name, s.url, c.parent_source AS source FROM "
                + table("requests")
                + " c LEFT JOIN servers s ON c.capture_id = s.capture_id AND c.parent_request_id = s.request_id"
                + " WHERE side = 'CLIENT' AND name <> ''),"
                + " compared AS (SELECT what, name, " + round + ", " + found + " AS way, url, source,"
                + " '/' || " + found + " || '?n=' || " + n + " || '&' AS expected FROM"
                + " (SELECT * FROM touched UNION ALL SELECT * FROM ordered))";
    }

    private static long number(Map<String, Object> row, String column) {
        return ((Number) row.getOrDefault(column, 0)).longValue();
    }

    private String table(String name) {
        return "read_parquet('" + folder.resolve("tables") + "/" + name + "/**/*.parquet')";
    }
}
