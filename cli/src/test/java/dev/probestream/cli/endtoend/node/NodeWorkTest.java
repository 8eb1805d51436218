package dev.probestream.cli.endtoend.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.NodeFixture;
import dev.probestream.cli.endtoend.fixture.NodeVersions;
import dev.probestream.cli.endtoend.fixture.RecordedFile;
import dev.probestream.cli.endtoend.fixture.RecordedFile.RecordedEvent;
import dev.probestream.cli.node.NodeBinary;
import dev.probestream.schema.record.EventKind;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The sets node-dns, node-pool, node-fs and node-gc on each version of Node.js that is there, with the program http.js. */
@KernelTest(since = "5.8")
class NodeWorkTest {
    private static final String NODES = "dev.probestream.cli.endtoend.fixture.NodeVersions#all";
    /** Unless UV_THREADPOOL_SIZE says otherwise (libuv). */
    private static final int POOL_THREADS = 4;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @MethodSource(NODES)
    void lookupsWorkOfThePoolAndCollectionsAreThoseTheProgramAskedFor(NodeBinary node) throws Exception {
        Path recording = folder.resolve("work.avro");
        try (NodeFixture program = NodeFixture.start(node, folder, "http.js");
                CommandRun record = CommandRun.start(
                        "record",
                        "-p",
                        program.pid(),
                        "-o",
                        recording.toString(),
                        "--probes",
                        "node-dns,node-pool,node-fs,node-gc")) {
            record.awaitRecording();
            assertThat(program.ask("names")).startsWith("{\"codes\":[\"found\",\"ENOTFOUND\",\"found\",\"E");
            program.ask("pool");
            program.ask("gc");
            assertThat(record.interrupt().end()).isZero();
        }
        RecordedFile recorded = RecordedFile.read(recording);

        assertThat(recorded.lost()).isZero();
        assertLookups(recorded);
        assertPool(recorded);
        if (NodeVersions.readsFilesOnThePool(node)) {
            assertFileIsReadInOneWork(recorded);
        } else {
            assertFileSystemWork(recorded);
        }
        assertCollections(recorded);
    }

    private static void assertLookups(RecordedFile recorded) {
        List<RecordedEvent> calls = recorded.events("DNS lookup");
        assertThat(calls)
                .extracting(event -> event.argument("host"))
                .containsExactly("localhost", "no-such-host.invalid");
        assertThat(calls).extracting(event -> event.label("family")).containsExactly("IPv4", "any");
        assertThat(recorded.events("DNS lookup work"))
                .extracting(event -> event.argument("host") + ": " + event.label("lookup_result"))
                .containsExactly("localhost: found", "no-such-host.invalid: unknown host");
        assertOneEach(calls, recorded.events("DNS lookup work"));
        assertOneEach(calls, recorded.events("DNS lookup done"));
        assertThat(recorded.events("DNS reverse lookup")).hasSize(1);
        assertThat(recorded.events("DNS reverse lookup work"))
                .singleElement()
                .satisfies(work -> assertThat(work.label("lookup_result")).isEqualTo("found"));

        List<RecordedEvent> queries = recorded.events("DNS query");
        assertThat(queries)
                .extracting(event -> event.label("type") + " " + event.argument("host"))
                .containsExactly("MX mail.example", "A host.example");
        assertOneEach(queries, recorded.events("DNS answer"));
        assertThat(recorded.events("DNS answer"))
                .extracting(event -> event.label("ares_status"))
                .isSubsetOf("connection refused", "timeout");
    }

    private static void assertPool(RecordedFile recorded) {
        List<RecordedEvent> queued = ofKind(recorded.events("work queued"), "crypto");
        List<RecordedEvent> works = ofKind(recorded.events("work"), "crypto");
        assertThat(queued).hasSize(2 * POOL_THREADS);
        assertOneEach(queued, works);
        assertThat(recorded.events("work done"))
                .extracting(event -> event.argument("request"))
                .containsAll(requests(queued));
        assertThat(ofKind(recorded.events("work"), "zlib")).isNotEmpty();

        Map<Object, Long> queuedNs = queued.stream()
                .collect(Collectors.toMap(event -> event.argument("request"), RecordedEvent::timestampNs));
        long firstEndNs = works.stream()
                .mapToLong(work -> work.timestampNs() + work.durationNs())
                .min()
                .orElseThrow();
        // Those that no thread was free for waited until one was.
        assertThat(works)
                .filteredOn(work -> work.timestampNs() >= firstEndNs)
                .hasSizeGreaterThanOrEqualTo(POOL_THREADS);
        assertThat(works).allSatisfy(work -> {
            assertThat(work.timestampNs()).isGreaterThan(queuedNs.get(work.argument("request")));
            assertThat(work.tid()).isNotEqualTo(work.pid());
        });
    }

    private static void assertFileSystemWork(RecordedFile recorded) {
        List<RecordedEvent> works = recorded.events("uv__fs_work");
        assertThat(works).extracting(event -> event.label("type")).contains("open", "fstat", "read", "close");
        assertThat(works)
                .filteredOn(event -> event.label("type").equals("open"))
                .singleElement()
                .satisfies(open ->
                        assertThat(String.valueOf(open.argument("path"))).endsWith("http.js"));
        assertThat(works).allMatch(event -> event.probe().getCategory().equals("node-fs"));
        assertThat(recorded.events().stream()
                        .filter(event -> event.probe().getName().startsWith("uv_fs_")
                                && event.probe().getKind() == EventKind.INSTANT))
                .hasSameSizeAs(works);
        assertThat(recorded.events("uv__fs_done")).hasSameSizeAs(works);
    }

    private static void assertFileIsReadInOneWork(RecordedFile recorded) {
        RecordedEvent work = recorded.events("work").stream()
                .filter(event -> "fs.readfile".equals(event.arguments().get("kind")))
                .findFirst()
                .orElseThrow();
        for (String call : List.of("open", "fstat", "read", "close")) {
            assertThat(recorded.events("uv_fs_" + call)).isNotEmpty().anySatisfy(event -> {
                assertThat(event.tid()).isEqualTo(work.tid()).isNotEqualTo(event.pid());
                assertThat(event.timestampNs()).isBetween(work.timestampNs(), work.timestampNs() + work.durationNs());
            });
        }
        assertThat(recorded.events("uv_fs_open"))
                .singleElement()
                .satisfies(open ->
                        assertThat(String.valueOf(open.argument("path"))).endsWith("http.js"));
    }

    private static void assertCollections(RecordedFile recorded) {
        List<RecordedEvent> pauses = recorded.events().stream()
                .filter(event -> event.probe().getRole().equals("gc.pause"))
                .toList();
        RecordedEvent asked = pauses.stream()
                .filter(pause -> pause.label("reason").equals("testing (gc())"))
                .findFirst()
                .orElseThrow();
        assertThat(recorded.events("mark-compact")).anySatisfy(compaction -> {
            assertThat(compaction.argument("heap")).isEqualTo(asked.argument("heap"));
            assertThat(compaction.timestampNs())
                    .isBetween(asked.timestampNs(), asked.timestampNs() + asked.durationNs());
        });
    }

    /** The requests of both are the same; a request may be used once more when it is done. */
    private static void assertOneEach(List<RecordedEvent> calls, List<RecordedEvent> others) {
        assertThat(requests(others)).containsExactlyInAnyOrderElementsOf(requests(calls));
    }

    private static List<Object> requests(List<RecordedEvent> events) {
        return events.stream().map(event -> event.argument("request")).toList();
    }

    private static List<RecordedEvent> ofKind(List<RecordedEvent> events, String kind) {
        return events.stream()
                .filter(event -> kind.equals(event.arguments().get("kind")))
                .toList();
    }
}
