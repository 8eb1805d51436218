package dev.probestream.cli.endtoend.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.DuckDb;
import dev.probestream.cli.endtoend.fixture.NodeFixture;
import dev.probestream.cli.endtoend.fixture.NodeVersions;
import dev.probestream.cli.endtoend.fixture.RecordedFile;
import dev.probestream.cli.endtoend.fixture.RecordedFlows;
import dev.probestream.cli.endtoend.node.TruthApplication.Entry;
import dev.probestream.cli.node.NodeBinary;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What we say of an application's requests beside what the application (testdata/node/truth) says of them itself: plain http,
 * Express and https; keep-alive, pipelined, chunked, in pieces, aborted, upgraded; on each version of Node.js that is there.
 */
@KernelTest(since = "5.8")
class ApplicationTruthTest {
    private static final String NODES = "dev.probestream.cli.endtoend.fixture.NodeVersions#all";
    private static final String SETS = "node-*,sched";
    /** On a machine that has other things to do; half of them keep to {@link #USUAL_OFFSET_NS}. */
    private static final long MAX_OFFSET_NS = 1_000_000_000;

    private static final long USUAL_OFFSET_NS = 50_000_000;

    private static final List<String> PARTS = List.of(
            "javascript_ns",
            "gc_ns",
            "off_cpu_ns",
            "loop_wait_ns",
            "pool_queue_ns",
            "pool_run_ns",
            "network_ns",
            "unattributed_ns");

    @TempDir
    private Path folder;

    @ParameterizedTest
    @MethodSource(NODES)
    void requestsAreThoseOfTheApplicationsLog(NodeBinary node) throws Exception {
        List<Entry> log = record(node, "exchanges", "--show-query");
        List<Map<String, Object>> requests = requests();

        assertThat(requests)
                .extracting(ApplicationTruthTest::said)
                .containsExactlyInAnyOrderElementsOf(
                        log.stream().map(ApplicationTruthTest::said).toList());
        assertThat(requests)
                .allSatisfy(request -> assertThat(sumOfParts(request)).isEqualTo(request.get("duration_ns")));
        assertTimes(node, log, requests);
    }

    @Test
    void valuesOfQueriesAreMasked() throws Exception {
        List<Entry> log = record(NodeFixture.installedNode(), "exchanges");

        assertThat(requests())
                .extracting(request -> request.get("method") + " " + request.get("url"))
                .containsExactlyInAnyOrderElementsOf(log.stream()
                        .map(entry -> entry.method() + " " + entry.url().replaceAll("=[^&]*", "=***"))
                        .toList());
    }

    @ParameterizedTest
    @MethodSource(NODES)
    void filesLookupAndOtherServersOfARequestAreConnectedWithIt(NodeBinary node) throws Exception {
        List<Entry> log = record(node, "stories", "--show-query").stream()
                .filter(entry -> entry.url().startsWith("/story"))
                .toList();

        assertThat(log).hasSize(4);
        for (Entry entry : log) {
            assertStory(entry, node);
        }
        String trace = folder.resolve("truth.pftrace").toString();
        CommandRun convert = CommandRun.run("convert", recording().toString(), "-o", trace);
        assertThat(convert.exitCode()).as("%s", convert.said()).isZero();
        if (NodeVersions.readsFilesOnThePool(node)) {
            return;
        }
        assertThat(RecordedFlows.read(Path.of(trace)).through("GET /story"))
                .hasSize(log.size())
                .allSatisfy(flow -> {
                    assertThat(flow).filteredOn("uv_fs_open"::equals).hasSize(3);
                    assertThat(flow).filteredOn("DNS lookup work"::equals).hasSize(1);
                    assertThat(flow).filteredOn("connect"::equals).hasSize(1);
                    assertThat(flow).contains("uv__fs_work", "uv__fs_done", "DNS lookup", "DNS lookup done");
                });
    }

    /** By id: its own three files and no others, the lookup, the work of each on the pool, the request it ordered. */
    private void assertStory(Entry entry, NodeBinary node) throws Exception {
        String number = entry.url().replaceAll(".*n=(\\d+).*", "$1");
        List<String> files = Stream.of("a", "b", "c")
                .map(file -> folder.resolve("truth/story-" + number + "-" + file + ".txt"))
                .map(Path::toString)
                .toList();

        if (NodeVersions.readsFilesOnThePool(node)) {
            // Those of the first milliseconds, while objects of the application are not known, may belong to nobody.
            assertThat(textsOf(entry, "uv_fs_open")).isSubsetOf(files);
        } else {
            assertThat(textsOf(entry, "uv_fs_open")).containsExactlyElementsOf(files);
            assertThat(textsOf(entry, "uv__fs_work").stream().filter(files::contains))
                    .containsExactlyElementsOf(files);
        }
        assertThat(textsOf(entry, "DNS lookup")).containsExactly("localhost");
        assertThat(textsOf(entry, "DNS lookup work")).containsExactly("localhost");
        assertThat(textsOf(entry, "connect")).hasSize(1);
        assertThat(DuckDb.rows("SELECT ordered.url, ordered.status, ordered.outcome FROM " + table("requests")
                        + " ordered JOIN " + table("requests") + " served ON ordered.capture_id = served.capture_id"
                        + " AND ordered.parent_request_id = served.request_id WHERE served.url = '" + entry.url()
                        + "' AND ordered.side = 'CLIENT'"))
                .containsExactly(Map.of("url", "/backend?n=" + number, "status", 200, "outcome", "COMPLETE"));
    }

    /** The first texts of the events of this probe that belong to the request, in the order of time. */
    private List<String> textsOf(Entry entry, String probe) throws Exception {
        String columns = "SELECT capture_id, sequence, mono_ns, probe, s0 FROM ";
        return DuckDb.rows("SELECT coalesce(s0, '') AS s0 FROM " + table("requests") + " r JOIN "
                        + table("request_events") + " e USING (capture_id, request_id) JOIN (" + columns
                        + table("events") + " UNION ALL " + columns + table("spans")
                        + ") hits USING (capture_id, sequence)"
                        + " WHERE side = 'SERVER' AND url = '" + entry.url() + "' AND probe = '" + probe
                        + "' ORDER BY hits.mono_ns")
                .stream()
                .map(row -> String.valueOf(row.get("s0")))
                .toList();
    }

    /** Lets the application serve while it is recorded; leaves the recording's tables. */
    private List<Entry> record(NodeBinary node, String what, String... options) throws Exception {
        String recording = recording().toString();
        List<Entry> log;
        try (TruthApplication app = TruthApplication.start(node, folder)) {
            List<String> command = new ArrayList<>(
                    List.of("record", "-p", app.pid(), "-o", recording, "--probes", SETS, "--ring-size", "64M"));
            command.addAll(Arrays.asList(options));
            try (CommandRun record = CommandRun.start(command.toArray(String[]::new))) {
                record.awaitRecording();
                app.serve(what);
                log = app.log();
                assertThat(record.interrupt().end()).isZero();
            }
        }
        CommandRun convert = CommandRun.run("convert", recording, "-o", folder.resolve("tables") + "/");
        assertThat(convert.exitCode()).as("%s", convert.said()).isZero();
        assertThat(RecordedFile.read(recording()).lost()).isZero();
        return log;
    }

    private Path recording() {
        return folder.resolve("truth.avro");
    }

    private List<Map<String, Object>> requests() throws Exception {
        return DuckDb.rows("SELECT * FROM " + table("requests") + " WHERE side = 'SERVER' ORDER BY mono_ns");
    }

    private String table(String name) {
        return "read_parquet('" + folder.resolve("tables") + "/" + name + "/**/*.parquet')";
    }

    private static String said(Map<String, Object> request) {
        return String.join(
                " ",
                String.valueOf(request.get("remote_port")),
                String.valueOf(request.get("local_port")),
                String.valueOf(request.get("is_tls")),
                String.valueOf(request.get("method")),
                String.valueOf(request.get("url")),
                String.valueOf(request.getOrDefault("status", 0)),
                String.valueOf(request.get("outcome")));
    }

    private static String said(Entry entry) {
        return String.join(
                " ",
                String.valueOf(entry.remotePort()),
                String.valueOf(entry.localPort()),
                String.valueOf(entry.isTls()),
                entry.method(),
                entry.url(),
                String.valueOf(entry.status()),
                entry.outcome());
    }

    private static long sumOfParts(Map<String, Object> request) {
        return PARTS.stream().mapToLong(part -> number(request, part)).sum();
    }

    private static long number(Map<String, Object> row, String column) {
        return ((Number) row.getOrDefault(column, 0)).longValue();
    }

    /** A request begins before its application gets it; both see it end at about the same time. */
    private static void assertTimes(NodeBinary node, List<Entry> log, List<Map<String, Object>> requests) {
        Map<Object, Map<String, Object>> byUrl =
                requests.stream().collect(Collectors.toMap(request -> request.get("url"), Function.identity()));
        List<Long> starts = new ArrayList<>();
        List<Long> ends = new ArrayList<>();
        for (Entry entry : log) {
            Map<String, Object> request = Objects.requireNonNull(byUrl.get(entry.url()), entry.url());
            long startNs = number(request, "mono_ns");
            starts.add(entry.startNs() - startNs);
            ends.add(entry.endNs() - startNs - number(request, "duration_ns"));
        }
        System.out.printf(
                "%s: of %d requests the application's start is %s, its end %s after ours%n",
                node.path().getFileName(), log.size(), spread(starts), spread(ends));
        assertThat(starts).allMatch(offsetNs -> offsetNs >= 0 && offsetNs < MAX_OFFSET_NS);
        assertThat(ends).allMatch(offsetNs -> Math.abs(offsetNs) < MAX_OFFSET_NS);
        assertThat(starts).filteredOn(offsetNs -> offsetNs < USUAL_OFFSET_NS).hasSizeGreaterThan(log.size() / 2);
        assertThat(ends)
                .filteredOn(offsetNs -> Math.abs(offsetNs) < USUAL_OFFSET_NS)
                .hasSizeGreaterThan(log.size() / 2);
    }

    private static String spread(List<Long> offsetsNs) {
        long[] sorted = offsetsNs.stream().mapToLong(Long::longValue).sorted().toArray();
        return LongStream.of(sorted[0], sorted[sorted.length / 2], sorted[sorted.length - 1])
                .mapToObj(ns -> String.valueOf(ns / 1000))
                .collect(Collectors.joining(", ", "", " µs (least, median, most)"));
    }
}
