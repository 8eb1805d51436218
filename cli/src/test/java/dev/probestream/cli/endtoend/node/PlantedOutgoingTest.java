package dev.probestream.cli.endtoend.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.NodeApps;
import dev.probestream.cli.endtoend.fixture.NodeFixture;
import dev.probestream.cli.endtoend.fixture.PostgresServer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Applications of which each has one thing wrong with what it asks others for, recorded together: each cause is found once, with
 * its words; applications that do the same in order are not accused.
 */
@Tag("deep")
@KernelTest(since = "5.8")
class PlantedOutgoingTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    private static final List<String> HEALTHY = List.of("healthy", "healthy-outgoing", "healthy-database");

    /** How often these are recorded. */
    private static final String HEALTHY_RUNS = "probestream.tests.healthyRuns";

    private static final int BURNERS = 3;

    /** At most so many until all causes are found. */
    private static final int RECORDINGS = 3;

    @TempDir
    private Path folder;

    /**
     * What is wrong.
     *
     * @param app the script in testdata/planted/apps
     * @param rule of the finding
     * @param words that it has
     */
    private record Cause(String app, String rule, List<String> words) {}

    private static final List<Cause> CAUSES = List.of(
            new Cause(
                    "agent-exhausted",
                    "connections-exhausted",
                    List.of("All 2 connections to 127.0.0.1:", "GET /stock")),
            new Cause(
                    "refused-backend",
                    "connection-errors",
                    List.of("20 connections to 127.0.0.1:5 failed with ECONNREFUSED", "20 requests", "GET /reviews")),
            new Cause(
                    "resetting-backend",
                    "connection-errors",
                    List.of("8 of 24 requests to 127.0.0.1:", "ECONNRESET", "8 requests", "GET /inventory/:id")),
            new Cause(
                    "failing-lookups",
                    "lookups-failing",
                    List.of("offers.nowhere.test could not be looked up 20 times", "fetchOffers", "GET /offers")),
            new Cause(
                    "repeated-lookups", "lookups-repeated", List.of("localhost", "40 of 40 requests of GET /weather")),
            new Cause("calls-home", "calls-home", List.of("package colour-kit", "POST /v1/collect", "reportUsage")),
            new Cause("retries", "retries", List.of("GET /flaky/:id", "after 503", "GET /basket/:id")),
            new Cause(
                    "stuck-pool", "pool-stuck", List.of("4 threads", "fs open", ".pipe", "readEvents", "GET /avatar")),
            new Cause(
                    "one-at-a-time",
                    "requests-serialized",
                    List.of("Requests of GET /count wait for each other", "(lib/counting.js")),
            new Cause(
                    "crash", "crash", List.of("uncaught exception: TypeError: no price for this order", "GET /order")));

    /**
     * Of a process that hardly runs they may not show: the report says nothing then, and it is recorded again. ("limited-calls", whose
     * calls must follow answers at once, is missed too often beside other tests; the benchmark of causes has it.)
     */
    private static final List<Cause> BY_TIME = List.of(
            new Cause(
                    "late-tail",
                    "peer-tail",
                    List.of("of the calls of GET /tariff", "responds late now and then: 1", "requests of GET /tariff")),
            new Cause(
                    "many-calls",
                    "calls-repeated",
                    List.of("GET /wishes calls GET /wish/:id", "15 times per request, one after the other")),
            new Cause("refused-for-now", "retries", List.of("GET /busy/:id", "after 429", "GET /parcel/:id")),
            new Cause("sleeping", "timer-waits", List.of("Requests of GET /receipt wait for a timer")));

    private static final List<Cause> OF_DATABASES = List.of(
            new Cause(
                    "n-plus-one",
                    "statements-repeated",
                    List.of("SELECT name FROM articles WHERE id = $1", " times per request")),
            new Cause("slow-statement", "slow-statement", List.of("pg_sleep", "PostgreSQL", "database's, ")),
            new Cause(
                    "contended-row",
                    "lock-waits",
                    List.of("rows of shelves", "takeAndPack (lib/shelves.js", "GET /take")));

    @Test
    void eachCauseIsFoundOnceWithItsWords() throws Exception {
        assertFound(CAUSES, recorded(CAUSES.stream().map(Cause::app).toList(), Map.of()));
    }

    @Test
    void causesThatTimesShowAreFoundWithTheirWords() throws Exception {
        assertFound(BY_TIME, recordedUntilFound(BY_TIME, Map.of()));
    }

    /** Of a process that hardly runs, the order of its answers may be chance: the report says nothing, and it is recorded again. */
    @Test
    void causesOfADatabaseAreFoundWithTheStatement() throws Exception {
        try (PostgresServer database = PostgresServer.onLoopback()) {
            assertFound(OF_DATABASES, recordedUntilFound(OF_DATABASES, using(database)));
        }
    }

    /** The findings about these causes; those that were not found are recorded again. */
    private List<JsonNode> recordedUntilFound(List<Cause> causes, Map<String, String> environment) throws Exception {
        List<JsonNode> found = new ArrayList<>();
        List<Cause> missing = new ArrayList<>(causes);
        for (int i = 0; i < RECORDINGS && !missing.isEmpty(); i++) {
            List<JsonNode> findings = recorded(missing.stream().map(Cause::app).toList(), environment);
            missing.forEach(cause ->
                    findings.stream().filter(finding -> isOf(finding, cause)).forEach(found::add));
            missing.removeIf(cause -> found.stream().anyMatch(finding -> isOf(finding, cause)));
        }
        return found;
    }

    /** Beside processes that take all CPUs. */
    @Test
    void applicationsThatDoTheSameInOrderAreNotAccused() throws Exception {
        List<Process> burners = new ArrayList<>();
        try (PostgresServer database = PostgresServer.onLoopback()) {
            for (int i = 0; i < BURNERS; i++) {
                burners.add(new ProcessBuilder("sh", "-c", "while :; do :; done").start());
            }
            for (int run = 0; run < Integer.getInteger(HEALTHY_RUNS, 1); run++) {
                assertThat(recorded(HEALTHY, using(database)))
                        .as("run %d", run)
                        .allSatisfy(finding ->
                                assertThat(finding.path("severity").asText()).isEqualTo("NOTE"));
            }
        } finally {
            burners.forEach(Process::destroyForcibly);
        }
    }

    private static Map<String, String> using(PostgresServer database) {
        return Map.of(
                "PLANTED_DATABASE",
                database.url(),
                "NODE_PATH",
                NodeApps.modules().toString());
    }

    private static void assertFound(List<Cause> causes, List<JsonNode> findings) {
        for (Cause cause : causes) {
            assertThat(findings)
                    .filteredOn(finding -> isOf(finding, cause))
                    .as("%s of %s", cause.rule(), findings)
                    .singleElement()
                    .satisfies(finding -> {
                        assertThat(words(finding)).contains(cause.words());
                        assertThat(finding.path("evidence")).isNotEmpty();
                    });
        }
    }

    private static boolean isOf(JsonNode finding, Cause cause) {
        return finding.path("rule").asText().equals(cause.rule())
                && words(finding).contains(cause.words().get(0));
    }

    private static String words(JsonNode finding) {
        return finding.path("title").asText() + "\n" + finding.path("text").asText();
    }

    /** The findings of a recording of these applications and their load. */
    private List<JsonNode> recorded(List<String> names, Map<String, String> environment) throws Exception {
        Path recording = folder.resolve("planted.avro");
        List<String> record = new ArrayList<>(List.of(
                "record", "-o", recording.toString(), "--probes", "incident", "--ring-size", "64M", "--budget", "off"));
        try (PlantedApp first = PlantedApp.start("healthy", NodeFixture.installedNode(), folder)) {
            List<PlantedApp> running = new ArrayList<>();
            try {
                for (String name : names) {
                    PlantedApp app = first.another(name, NodeFixture.installedNode(), folder, environment);
                    running.add(app);
                    record.addAll(List.of("-p", app.pid()));
                }
                try (CommandRun run = CommandRun.start(record.toArray(String[]::new))) {
                    run.awaitRecording();
                    for (PlantedApp app : running) {
                        app.load();
                    }
                    assertThat(run.interrupt().end()).as("%s", run.said()).isZero();
                }
            } finally {
                // Before their backend.
                for (PlantedApp app : running) {
                    app.close();
                }
            }
        }
        CommandRun report = CommandRun.run("report", recording.toString(), "--json");
        assertThat(report.exitCode()).as("%s", report.said()).isZero();
        List<JsonNode> findings = new ArrayList<>();
        for (JsonNode finding : JSON.readTree(report.out()).path("findings")) {
            if (!PlantedCausesTest.OF_THE_MACHINE.contains(finding.path("rule").asText())) {
                findings.add(finding);
            }
        }
        return findings;
    }
}
