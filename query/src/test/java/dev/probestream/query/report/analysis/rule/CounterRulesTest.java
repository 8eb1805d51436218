package dev.probestream.query.report.analysis.rule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.probestream.query.report.Finding;
import dev.probestream.query.report.Finding.Severity;
import dev.probestream.query.report.analysis.Planted;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What grows, overflows or burns in a process, each with a healthy process that looks like it. */
class CounterRulesTest {
    private static final String SET = "process";

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
    void descriptorsThatGrowAreNamedWithTheirKindTheirRateAndWhoOpensThem() throws Exception {
        for (int second = 0; second < 8; second++) {
            open(second, 40 + 30L * second, 1024, 30L * second);
            file(second * 1000 + 10, 40 + second);
        }

        Finding finding = planted.finding(folder, "descriptors-grow");

        assertThat(finding.severity())
                .as("the limit is reached within the hour")
                .isEqualTo(Severity.HIGH);
        assertThat(finding.title())
                .isEqualTo(
                        "Open descriptors grew from 40 to 250 in 7.0 s, most of them files, from readPart (lib/part.js:7).");
        assertThat(finding.text())
                .contains("30 more each second")
                .contains("The limit of 1,024 is reached in 26 s at this rate.")
                .contains("8 files were opened and not closed, /srv/part most often (8 times).");
    }

    @Test
    void descriptorsOfConnectionsThatAreNotClosedAreTheirConsequence() throws Exception {
        for (int second = 0; second < 8; second++) {
            reading(second, "open descriptors", "open", 40 + 30L * second, "limit", 1024);
            reading(second, "descriptors", "sockets", 3 + 30L * second, "files", 5);
            for (int i = 0; i < 30; i++) {
                double atMs = second * 1000 + i * 30;
                Map<String, Object> arguments = Map.of("stream", 1000 + second * 30 + i, "remote", "10.0.0.5:5432");
                planted.span(Planted.LOOP, "node-net", "connect", atMs, atMs + 0.1, arguments);
            }
        }

        assertThat(planted.findings(folder))
                .extracting(Finding::rule, Finding::isConsequence)
                .containsSubsequence(tuple("connections-leaked", false), tuple("descriptors-grow", true));
    }

    @Test
    void descriptorsThatAreUsedUpAreNamedWithTheLimitWhatHoldsThemAndWhoseCallsFailed() throws Exception {
        for (int second = 0; second < 4; second++) {
            open(second, second == 2 ? 91 : 80, 91, 60);
            file(second * 1000 + 10, 20 + second);
            file(second * 1000 + 20, -24);
        }

        Finding finding = planted.findings(folder).get(0);

        assertThat(finding.rule()).isEqualTo("resources-exhausted");
        assertThat(finding.severity()).isEqualTo(Severity.HIGH);
        assertThat(finding.title())
                .isEqualTo(
                        "The process has no file descriptor left (91 of 91 were open): 4 calls failed with EMFILE, most"
                                + " often open of /srv/part, from readPart (lib/part.js:7).");
        assertThat(finding.text())
                .startsWith(
                        "When most were open, they were 60 files, 3 sockets. 4 files opened in the recording were not"
                                + " closed, most often /srv/part.");
    }

    @Test
    void aDiskThatIsFullIsTheFirstFinding() throws Exception {
        file(10, -28);

        Finding finding = planted.findings(folder).get(0);

        assertThat(finding.rule()).isEqualTo("resources-exhausted");
        assertThat(finding.title())
                .isEqualTo(
                        "The disk of /srv is full: 1 call failed with ENOSPC, most often open of /srv/part, from readPart"
                                + " (lib/part.js:7).");
    }

    @Test
    void requestsThatFailForAFullDiskAreItsConsequence() throws Exception {
        for (int i = 0; i < 4; i++) {
            planted.request("SERVER", "/receipts/" + i, i * 100, i * 100 + 50, "500 AS status");
            file(i * 100 + 10, -28);
        }
        planted.sql(
                "INSERT INTO request_events BY NAME SELECT capture_id, sequence, mono_ns // 100000000 + 1 AS request_id"
                        + " FROM spans WHERE probe = 'uv_fs_open'");

        List<Finding> findings = planted.findings(folder);

        assertThat(findings).extracting(Finding::rule).containsExactly("resources-exhausted", "errors");
        assertThat(findings.get(1).severity()).isEqualTo(Severity.MEDIUM);
        assertThat(findings.get(1).text()).contains(": a consequence.");
    }

    @Test
    void aLimitOfWatchedFilesIsNoFullDisk() throws Exception {
        planted.span(Planted.LOOP, "syscalls", "inotify_add_watch", 10, 10.1, Map.of("fd", 9), -28);

        assertThat(planted.findings(folder).get(0).title())
                .isEqualTo(
                        "The limit of watched files is reached: 1 call failed with ENOSPC, most often inotify_add_watch.");
    }

    @Test
    void descriptorsOfAServerThatHasWarmedUpAreNoFinding() throws Exception {
        for (int second = 0; second < 8; second++) {
            open(second, second == 0 ? 40 : 250 + second % 2, 1024, second == 0 ? 0 : 200);
        }

        assertThat(planted.rules(folder)).doesNotContain("descriptors-grow");
    }

    @Test
    void clientsThatComeAndStayAreNoLeakOfDescriptors() throws Exception {
        for (int second = 0; second < 8; second++) {
            reading(second, "open descriptors", "open", 40 + 30L * second, "limit", 20_000);
            reading(second, "descriptors", "sockets", 30L * second, "files", 3);
        }

        assertThat(planted.rules(folder)).doesNotContain("descriptors-grow");
    }

    @Test
    void heapThatGrowsAfterFullCollectionsIsNamed() throws Exception {
        for (int second = 0; second < 6; second++) {
            collection(second, "mark-compact", (20L + 10L * second) << 20);
        }

        Finding finding = planted.finding(folder, "heap-grows");

        assertThat(finding.severity()).isEqualTo(Severity.HIGH);
        assertThat(finding.title())
                .isEqualTo("The heap of V8 grew from 20 MiB to 70 MiB after full collections, within 5.0 s.");
        assertThat(finding.text()).contains("6 collections").contains("600 MiB a minute");
    }

    @Test
    void heapThatGrowsOnlyBetweenFullCollectionsIsHealthy() throws Exception {
        for (int second = 0; second < 6; second++) {
            collection(second, "mark-compact", (20L + second % 2) << 20);
            collection(second + 0.5, "scavenge", (60L + 10L * second) << 20);
        }

        assertThat(planted.rules(folder)).doesNotContain("heap-grows");
    }

    @Test
    void heapThatGoesUpAndDownIsNoTrend() throws Exception {
        long[] mebibytes = {20, 60, 25, 70, 30, 50};
        for (int second = 0; second < mebibytes.length; second++) {
            collection(second, "mark-compact", mebibytes[second] << 20);
        }

        assertThat(planted.rules(folder)).doesNotContain("heap-grows");
    }

    @Test
    void connectionsThatAListeningSocketTurnsAwayAreCounted() throws Exception {
        reading(0, "connections", "established", 1, "other", 0);
        listening(0, 5, 511, 7);
        listening(3, 511, 511, 127);

        Finding finding = planted.finding(folder, "listen-overflow");

        assertThat(finding.severity()).isEqualTo(Severity.HIGH);
        assertThat(finding.title())
                .isEqualTo("The listen queue of 0.0.0.0:80 overflowed: 120 connection attempts were turned away.");
        assertThat(finding.text()).contains("up to 511 connections waited");
    }

    @Test
    void queueThatIsNeverFullIsHealthyWhateverItTurnedAwayBefore() throws Exception {
        reading(0, "connections", "established", 1, "other", 0);
        listening(0, 5, 511, 7);
        listening(3, 400, 511, 7);

        assertThat(planted.rules(folder)).doesNotContain("listen-overflow");
    }

    @Test
    void loopThatIsBusyInShortTurnsOfTimersIsNamedWithItsFunctions() throws Exception {
        busyTurns(9);
        for (int turn = 0; turn < 100; turn++) {
            planted.span(Planted.LOOP, "node-loop", "timers", turn * 10 + 1, turn * 10 + 9, Map.of("loop", 7));
        }
        planted.samples(Planted.LOOP, 1, 900, planted.stack("refresh /srv/app/lib/poll.js:4"));

        Finding finding = planted.finding(folder, "cpu-burnt");

        assertThat(finding.severity()).isEqualTo(Severity.HIGH);
        assertThat(finding.title())
                .startsWith(
                        "The event loop was busy, without a long turn, for 90 % of the 1.0 s in which its thread had a CPU or"
                                + " nothing to do, with timers and immediates: refresh");
        assertThat(finding.text()).contains("refresh (lib/poll.js:4) 100 %");
    }

    @Test
    void loopThatIsBusyWithRequestsForAPartOfTheTimeIsHealthy() throws Exception {
        busyTurns(6);

        assertThat(planted.rules(folder)).doesNotContain("cpu-burnt");
    }

    @Test
    void loopThatIsBusyForAMomentOfALongRecordingIsNotBurningCpu() throws Exception {
        double[] turns = new double[30];
        Arrays.fill(turns, 9);
        planted.turns(turns);
        planted.poll(301, 20_000);
        planted.offCpu(Planted.LOOP, 302, 19_999, true);

        assertThat(planted.rules(folder)).containsExactly("off-cpu");
    }

    @Test
    void microtasksThatKeepTheLoopFromItsInputAreNamed() throws Exception {
        microtasks(planted.stack("Builtins_PromiseFulfillReactionJob", "drain /srv/app/lib/queue.js:9"));

        Finding finding = planted.finding(folder, "microtask-flood");

        assertThat(finding.severity()).isEqualTo(Severity.HIGH);
        assertThat(finding.title())
                .matches(
                        "Microtasks kept the event loop from its I/O for \\d+ % of the 603 ms in which its thread had a CPU or nothing to do, from drain \\(lib/queue.js:9\\)\\.");
    }

    @Test
    void oneLongFunctionInAMicrotaskIsABlockedLoopAndNoFlood() throws Exception {
        microtasks(planted.stack("Builtins_JsonParse", "load /srv/app/lib/queue.js:9"));

        assertThat(planted.rules(folder)).contains("loop-blocked").doesNotContain("microtask-flood");
    }

    private void microtasks(long stack) throws SQLException {
        planted.turns(200, 200, 200);
        for (int turn = 0; turn < 3; turn++) {
            double from = turn * 201 + 1;
            planted.span(Planted.LOOP, "node-loop", "microtasks", from + 1, from + 199, Map.of("pending", 1));
            planted.samples(Planted.LOOP, from + 2, from + 198, stack);
        }
    }

    private void busyTurns(double busyMs) throws SQLException {
        double[] turns = new double[100];
        Arrays.fill(turns, busyMs);
        if (busyMs < 9) {
            for (int turn = 0; turn < turns.length; turn++) {
                planted.poll(turn * 10, turn * 10 + 10 - busyMs);
            }
            planted.poll(1000, 1001);
        } else {
            planted.turns(turns);
        }
    }

    private void open(int second, long open, long limit, long files) throws SQLException {
        reading(second, "open descriptors", "open", open, "limit", limit);
        reading(second, "descriptors", "sockets", 3, "files", files);
    }

    private void file(double atMs, long descriptor) throws SQLException {
        Map<String, Object> arguments = new LinkedHashMap<>();
        arguments.put("path", "/srv/part");
        arguments.put("request", 900);
        arguments.put("callback", 0);
        planted.span(Planted.LOOP, "node-fs", "uv_fs_open", atMs, atMs + 0.5, arguments, descriptor);
        planted.event(
                Planted.LOOP,
                "node-callers",
                "caller of sync fs",
                atMs,
                Map.of("request", 900),
                planted.stack("readPart /srv/app/lib/part.js:7"));
    }

    private void collection(double second, String collector, long heapUsed) throws SQLException {
        double atMs = second * 1000;
        planted.span(Planted.LOOP, "node-gc", "GC", atMs, atMs + 10, Map.of("heap", 1, "reason", 1));
        planted.span(Planted.LOOP, "node-gc", collector, atMs + 1, atMs + 8, Map.of("heap", 1));
        planted.event(Planted.LOOP, "node-gc", "V8 heap", atMs + 0.5, Map.of("heap_used", heapUsed + (30 << 20)), 0);
        planted.event(Planted.LOOP, "node-gc", "V8 heap", atMs + 9, Map.of("heap_used", heapUsed), 0);
    }

    private void listening(int second, long queued, long limit, long drops) throws SQLException {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("local", "0.0.0.0:80");
        values.put("queued", queued);
        values.put("limit", limit);
        values.put("drops", drops);
        planted.event(Planted.LOOP, SET, "listening socket", second * 1000, values, 0);
    }

    private void reading(int second, String counter, String first, long one, String other, long two)
            throws SQLException {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put(first, one);
        values.put(other, two);
        planted.event(Planted.LOOP, SET, counter, second * 1000, values, 0);
    }
}
