package dev.probestream.query.report.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.query.report.Finding;
import dev.probestream.query.report.Finding.Severity;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each rule finds its cause in a recording that has it, and nothing in one that nearly has. */
class FindingsTest {
    private static final int ASYNC = 0xabc;
    private static final int SYNC = 0;

    @TempDir
    private Path folder;

    private Planted planted;

    @BeforeEach
    void begin() throws SQLException {
        planted = new Planted();
    }

    @AfterEach
    void close() throws SQLException {
        planted.close();
    }

    @Test
    void functionThatBlocksTheLoopIsNamedWithItsFile() throws Exception {
        long parse = planted.stack(
                "v8::internal::JsonParser<unsigned char>::ParseJsonValue()",
                "parseBody /app/lib/parse.js:2",
                "onRequest /app/server.js:5",
                "processTicksAndRejections node:internal/process/task_queues:67");
        planted.turns(300, 5, 400, 5, 300).samples(Planted.LOOP, 2, 300, parse).samples(Planted.LOOP, 310, 700, parse);
        planted.request("SERVER", "/import?token=***", 3, 299, "290000000 AS javascript_ns");

        Finding finding = first("loop-blocked");

        assertThat(finding.severity()).isEqualTo(Severity.HIGH);
        assertThat(finding.title())
                .isEqualTo("JSON.parse, called by parseBody (lib/parse.js:2) blocked the event loop for up to 400 ms.");
        assertThat(finding.text()).contains("3 turns of the loop took 1.0 s altogether", "100 % of the CPU samples");
        assertThat(finding.evidence()).extracting(Finding.Evidence::sectionId).containsExactly("loop", "cpu");
    }

    @Test
    void functionThatSpreadsItsTimeOverOthersIsNamedForAllOfThem() throws Exception {
        long one = planted.stack("one /app/a.js:1", "both /app/a.js:9", "onRequest /app/server.js:5");
        long two = planted.stack("two /app/a.js:2", "both /app/a.js:9", "onRequest /app/server.js:5");
        long three = planted.stack("three /app/a.js:3", "both /app/a.js:9", "onRequest /app/server.js:5");
        planted.turns(600)
                .samples(Planted.LOOP, 2, 200, one)
                .samples(Planted.LOOP, 200, 400, two)
                .samples(Planted.LOOP, 400, 600, three);

        assertThat(first("loop-blocked").title()).startsWith("both (app/a.js:9) blocked the event loop for 600 ms");
    }

    @Test
    void turnsThatAreShortBlockNothing() throws Exception {
        planted.turns(40, 40, 40, 40, 40, 40);

        assertThat(rules()).containsExactly("healthy");
    }

    @Test
    void turnsThatHadNoCpuAreNotHeldAgainstTheProgram() throws Exception {
        planted.turns(400, 5, 400).offCpu(Planted.LOOP, 5, 395, true).offCpu(Planted.LOOP, 415, 800, true);

        assertThat(rules()).containsExactly("off-cpu");
    }

    @Test
    void synchronousFilesInTheLoopAreNamedWithTheirCaller() throws Exception {
        long render = planted.stack(
                "node::fs::Open",
                "openSync node:fs:573",
                "renderPage /app/lib/template.js:19",
                "onRequest /app/server.js:5");
        planted.turns(150, 2, 2);
        for (int i = 0; i < 40; i++) {
            files(2 + i * 3, 2 + i * 3 + 2.5, "/app/partials/" + i % 4 + ".html", SYNC);
            planted.event(Planted.LOOP, "node-callers", "caller of sync open", 2 + i * 3, Map.of("request", 5), render);
        }

        Finding finding = first("sync-fs");

        assertThat(finding.severity()).isEqualTo(Severity.HIGH);
        assertThat(finding.title())
                .isEqualTo(
                        "Synchronous file system calls (open of 4 files in /app/partials) held the event loop for 100 ms,"
                                + " from renderPage (lib/template.js:19).");
        assertThat(finding.text()).contains("40 calls in 1 turn");
    }

    @Test
    void filesThatAreAskedForAsynchronouslyHoldNothing() throws Exception {
        planted.turns(75, 2, 2);
        for (int i = 0; i < 40; i++) {
            files(2 + i * 1.5, 2 + i * 1.5 + 1.2, "/app/partials/1.html", ASYNC);
        }

        assertThat(rules()).containsExactly("healthy");
    }

    @Test
    void filesThatAreLoadedBeforeTheLoopBeginsHoldNothing() throws Exception {
        for (int i = 0; i < 40; i++) {
            files(i * 3, i * 3 + 2.5, "/app/node_modules/" + i + ".js", SYNC);
        }
        planted.poll(200, 201).poll(210, 211);

        assertThat(rules()).containsExactly("healthy");
    }

    @Test
    void poolThatIsStarvedIsNamedWithTheWorkAndWhoAskedForIt() throws Exception {
        long verify = planted.stack(
                "node::ThreadPoolWork::ScheduleWork()", "pbkdf2 node:internal/crypto/pbkdf2:54",
                "verifyPassword /app/lib/auth.js:41", "onRequest /app/server.js:5");
        long hashing = planted.stack("SHA512_Update", "PKCS5_PBKDF2_HMAC", "node::ThreadPoolWork", "worker");
        pool(true, verify);
        planted.samples(201, 0, 300, hashing);
        for (int i = 0; i < 10; i++) {
            planted.request("SERVER", "/login", 0, 100 + i, "90000000 AS pool_queue_ns");
        }

        Finding finding = first("pool-starved");

        assertThat(finding.severity()).isEqualTo(Severity.HIGH);
        assertThat(finding.title())
                .isEqualTo(
                        "The thread pool was starved: 2 threads busy with pbkdf2, from verifyPassword (lib/auth.js:41).");
        assertThat(finding.text())
                .startsWith("100 % of the slowest requests (1 of 1) waited for the pool.")
                .contains("crypto (6 times, up to 100 ms)");
    }

    @Test
    void workThatWaitsWhileThreadsAreIdleDoesNotStarve() throws Exception {
        pool(false, 0);

        assertThat(rules()).containsExactly("healthy");
    }

    @Test
    void hostWhoseLookupIsSlowIsNamed() throws Exception {
        for (int i = 0; i < 4; i++) {
            lookup(i * 400, 300, 300);
        }

        Finding finding = first("slow-dns");

        assertThat(finding.title()).isEqualTo("Looking up db.partner.test took 300 ms on average.");
        assertThat(finding.text()).contains("4 of 4 lookups by getaddrinfo");
    }

    @Test
    void lookupThatWaitsForThePoolIsNotSlowItself() throws Exception {
        for (int i = 0; i < 4; i++) {
            lookup(i * 400, 300, 1);
        }

        assertThat(rules()).containsExactly("healthy");
    }

    @Test
    void queriesOfCaresThatNobodyAnswersAreSlow() throws Exception {
        for (int i = 0; i < 3; i++) {
            planted.event(
                    Planted.LOOP, "node-dns", "DNS query", i * 10, Map.of("host", "gone.test", "request", 50 + i), 0);
        }
        planted.poll(0, 900).poll(900, 901);

        assertThat(first("slow-dns").text()).contains("3 had no response when the recording ended");
    }

    @Test
    void garbageIsFoundWithTheFunctionThatMadeIt() throws Exception {
        long grouping = planted.stack(
                "v8::internal::Scavenger::Process",
                "v8::internal::Heap::CollectGarbage",
                "groupRows /app/lib/summary.js:7");
        collect(30, grouping);

        Finding finding = first("gc-storm");

        assertThat(finding.severity()).isEqualTo(Severity.HIGH);
        assertThat(finding.title())
                .isEqualTo(
                        "The garbage collector stopped JavaScript for 30 % of the time, mostly for objects of groupRows"
                                + " (lib/summary.js:7).");
    }

    @Test
    void someGarbageIsNoFinding() throws Exception {
        collect(5, 0);

        assertThat(rules()).containsExactly("healthy");
    }

    @Test
    void connectionsThatAreNeverClosedAreFoundWithTheCodeThatOpensThem() throws Exception {
        long fetch = planted.stack("uv_tcp_init", "connect node:net:1290", "fetchPrice /app/lib/feed.js:9");
        for (int i = 0; i < 40; i++) {
            planted.event(
                    Planted.LOOP, "node-callers", "caller of TCP socket", i * 20, Map.of("stream", 1000 + i), fetch);
            connect(i * 20, 1000 + i);
        }
        planted.poll(0, 999).poll(999, 1000);

        Finding finding = first("connections-leaked");

        assertThat(finding.severity()).isEqualTo(Severity.HIGH);
        assertThat(finding.title())
                .isEqualTo(
                        "40 connections to 10.0.0.5:5432 were opened and not closed, from fetchPrice (lib/feed.js:9).");
    }

    @Test
    void connectionsThatAreClosedDoNotLeak() throws Exception {
        for (int i = 0; i < 40; i++) {
            connect(i * 20, 1000 + i);
            planted.event(Planted.LOOP, "node-net", "close", i * 20 + 10, Map.of("stream", 1000 + i, "handle", 12), 0);
        }
        planted.poll(0, 999).poll(999, 1000);

        assertThat(rules()).containsExactly("healthy");
    }

    @Test
    void poolOfConnectionsThatDoesNotGrowDoesNotLeak() throws Exception {
        for (int i = 0; i < 40; i++) {
            connect(i < 39 ? i * 0.1 : 900, 1000 + i);
        }
        planted.poll(0, 999).poll(999, 1000);

        assertThat(rules()).containsExactly("healthy");
    }

    @Test
    void peerThatAnswersLateIsNamed() throws Exception {
        sent(9000, "1200000000 AS network_ns");

        Finding finding = first("slow-peer");

        assertThat(finding.title()).isEqualTo("10.0.0.5:9000 responds late: after 1.2 s on average.");
        assertThat(finding.text()).contains("GET /price");
    }

    @Test
    void answerThatWaitsForTheOwnLoopIsNotThePeersFault() throws Exception {
        sent(9000, "10000000 AS network_ns, 1190000000 AS loop_wait_ns");

        assertThat(rules()).containsExactly("healthy");
    }

    @Test
    void answersOfTheProcessItselfAreNoPeers() throws Exception {
        sent(9000, "1200000000 AS network_ns");
        planted.request("SERVER", "/price", 0, 5, "9000 AS local_port");

        assertThat(rules()).containsExactly("healthy");
    }

    @Test
    void threadThatHasNoCpuIsFoundWithWhoRanInstead() throws Exception {
        planted.turns(30, 30, 30, 30);
        for (int i = 0; i < 10; i++) {
            planted.offCpu(Planted.LOOP, i * 12 + 1, i * 12 + 8, true);
        }

        Finding finding = first("off-cpu");

        assertThat(finding.severity()).isEqualTo(Severity.MEDIUM);
        assertThat(finding.text()).contains("stress (10 times)");
    }

    @Test
    void threadThatWaitsOfItsOwnAccordHasNotBeenDeniedACpu() throws Exception {
        planted.turns(30, 30, 30, 30);
        for (int i = 0; i < 10; i++) {
            planted.offCpu(Planted.LOOP, i * 12 + 1, i * 12 + 8, false);
        }

        assertThat(rules()).containsExactly("healthy");
    }

    @Test
    void requestsThatFailAreFound() throws Exception {
        for (int i = 0; i < 20; i++) {
            planted.request("SERVER", "/pay", i, i + 1, (i < 5 ? "503" : "200") + " AS status");
        }
        planted.poll(0, 30).poll(30, 31);

        assertThat(first("errors").title()).isEqualTo("25 % of the requests failed: most of them GET /pay.");
    }

    @Test
    void connectionsThatAreRefusedAreFoundButFilesLookedForAreNot() throws Exception {
        for (int i = 0; i < 6; i++) {
            planted.span(
                    Planted.LOOP,
                    "node-net",
                    "connect",
                    i,
                    i + 0.1,
                    Map.of("remote", "10.0.0.5:6379", "stream", i),
                    -111);
            planted.span(
                    Planted.LOOP,
                    "node-fs",
                    "uv_fs_stat",
                    i,
                    i + 0.1,
                    Map.of("path", "/x", "request", i, "callback", SYNC),
                    -2);
        }

        assertThat(rules()).containsExactly("errors");
        assertThat(first("errors").title())
                .isEqualTo("6 calls failed with ECONNREFUSED: most often connect of 10.0.0.5:6379.");
    }

    @Test
    void lossesSayWhatTheyMeanForTheRest() throws Exception {
        planted.turns(5, 5, 5);
        planted.sql(
                "INSERT INTO losses BY NAME SELECT 1 AS capture_id, 1 AS probe_id, 'poll' AS probe, 'RING_FULL' AS reason,"
                        + " 96 AS count, 0 AS from_mono_ns, 1000000 AS to_mono_ns");

        Finding finding = first("losses");

        assertThat(finding.title()).isEqualTo("96 hits were lost: 96 % of all.");
        assertThat(finding.text()).contains("lower bounds");
    }

    private List<String> rules() throws Exception {
        return planted.findings(folder).stream().map(Finding::rule).toList();
    }

    private Finding first(String rule) throws Exception {
        List<Finding> findings = planted.findings(folder);
        return findings.stream()
                .filter(finding -> finding.rule().equals(rule))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + rule + " in " + findings));
    }

    private void files(double fromMs, double toMs, String path, int callback) throws SQLException {
        planted.span(
                Planted.LOOP,
                "node-fs",
                "uv_fs_open",
                fromMs,
                toMs,
                Map.of("path", path, "request", 5, "callback", callback),
                3);
    }

    /** Six pieces of work on two threads, queued at once or each when it can run. */
    private void pool(boolean isQueuedAtOnce, long caller) throws SQLException {
        planted.thread(201, "libuv-worker").thread(202, "libuv-worker");
        int request = 500;
        for (int round = 0; round < 3; round++) {
            for (int worker : new int[] {201, 202}) {
                double queuedMs = isQueuedAtOnce ? 0 : round * 200;
                double startMs = isQueuedAtOnce ? round * 100 + 0.1 : round * 200 + 90;
                request++;
                planted.event(
                        Planted.LOOP,
                        "node-pool",
                        "work queued",
                        queuedMs,
                        Map.of("request", request, "kind", "crypto"),
                        0);
                if (caller != 0) {
                    planted.event(
                            Planted.LOOP,
                            "node-callers",
                            "caller of work",
                            queuedMs,
                            Map.of("request", request),
                            caller);
                }
                planted.span(
                        worker,
                        "node-pool",
                        "work",
                        startMs,
                        startMs + 99.8,
                        Map.of("request", request, "kind", "crypto"));
            }
        }
        if (isQueuedAtOnce) {
            // One more that is quick, and waited.
            planted.event(Planted.LOOP, "node-fs", "fs work queued", 1, Map.of("request", 900), 0);
            planted.span(201, "node-fs", "uv__fs_work", 301, 301.1, Map.of("request", 900, "type", 3, "path", "/x"));
        }
    }

    private void lookup(double atMs, double tookMs, double resolverMs) throws SQLException {
        Map<String, Object> request = Map.of("request", 77);
        planted.span(
                Planted.LOOP,
                "node-dns",
                "DNS lookup",
                atMs,
                atMs + 0.1,
                Map.of("host", "db.partner.test", "request", 77));
        planted.event(Planted.LOOP, "node-dns", "DNS work queued", atMs, request, 0);
        double endMs = atMs + tookMs;
        planted.span(
                201,
                "node-dns",
                "DNS lookup work",
                endMs - resolverMs,
                endMs,
                Map.of("host", "db.partner.test", "request", 77));
        planted.span(
                Planted.LOOP,
                "node-dns",
                "DNS lookup done",
                endMs,
                endMs + 0.1,
                Map.of("request", 77, "lookup_result", 0));
    }

    /** Every 10th of a second a pause. */
    private void collect(double pauseMs, long stack) throws SQLException {
        double[] busyMs = new double[32];
        Arrays.fill(busyMs, 30);
        planted.turns(busyMs);
        for (int i = 0; i < 10; i++) {
            planted.span(Planted.LOOP, "node-gc", "GC", i * 100, i * 100 + pauseMs, Map.of("heap", 9, "reason", 1));
            planted.span(Planted.LOOP, "node-gc", "scavenge", i * 100, i * 100 + pauseMs, Map.of("heap", 9));
            if (stack != 0) {
                planted.samples(Planted.LOOP, i * 100, i * 100 + pauseMs, stack);
            }
        }
    }

    private void connect(double atMs, int stream) throws SQLException {
        planted.span(
                Planted.LOOP,
                "node-net",
                "connect",
                atMs,
                atMs + 0.1,
                Map.of("stream", stream, "remote", "10.0.0.5:5432"));
    }

    private void sent(int port, String more) throws SQLException {
        for (int i = 0; i < 4; i++) {
            planted.request(
                    "CLIENT",
                    "/price",
                    i,
                    i + 1200,
                    "'10.0.0.5' AS remote_address, " + port + " AS remote_port, " + more);
        }
        planted.poll(0, 2000).poll(2000, 2001);
    }
}
