package dev.probestream.query.report.analysis.rule.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.query.report.Finding;
import dev.probestream.query.report.Finding.Severity;
import dev.probestream.query.report.analysis.Planted;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three workers on a machine of two CPUs, and a loop that has a turn of 5 ms every 20 ms; 2 s are recorded. */
class WorkersBusyRuleTest {
    private static final int[] WORKERS = {111, 112, 113};
    private static final int TURNS = 100;

    @TempDir
    private Path folder;

    private Planted planted;
    private long sharpening;

    @BeforeEach
    void begin() throws SQLException {
        planted = new Planted();
        sharpening = planted.stack("sharpenPictures /app/lib/pictures.js:9", "(anonymous) /app/lib/pictures.js:33");
        for (int worker : WORKERS) {
            planted.thread(worker, "node");
        }
    }

    @AfterEach
    void close() throws SQLException {
        planted.close();
    }

    @Test
    void workersFunctionAndShareOfTheCpusAreNamed() throws Exception {
        loop(10);
        workersRun(15, sharpening);
        machine(4, 0);

        List<Finding> findings = planted.findings(folder);

        assertThat(findings).extracting(Finding::rule).containsExactly("workers-busy", "off-cpu");
        Finding finding = findings.get(0);
        assertThat(finding.severity()).isEqualTo(Severity.HIGH);
        assertThat(finding.title())
                .matches(
                        "3 worker threads had (9\\d|100) % of the 2 CPUs while the event loop's thread was ready to run and"
                                + " had none: they ran sharpenPictures \\(lib/pictures.js:9\\)\\.");
        assertThat(finding.text())
                .startsWith("The thread had no CPU for ")
                .contains(" % of the time of 100 requests was this waiting.")
                .contains("100 % of the workers' CPU samples lie in sharpenPictures (lib/pictures.js:9).")
                .doesNotContain("other processes");
        assertThat(finding.remedy()).startsWith("Run fewer workers");
        assertThat(findings.get(1).isConsequence()).isTrue();
        assertThat(findings.get(1).text()).contains("A consequence of the busy workers (workers-busy)");
    }

    @Test
    void workersOfAnotherRecordedProcessAreNamedWithIt() throws Exception {
        loop(10);
        workersRun(15, sharpening);
        planted.sql("UPDATE events SET pid = 110 WHERE category = 'profile' AND tid >= 111");
        machine(4, 0);

        assertThat(planted.finding(folder, "workers-busy").text())
                .contains("Of the workers 3 are of other processes (110).");
    }

    @Test
    void theLoopOfABusyWorkerIsNotBlockedByItsWork() throws Exception {
        loop(10);
        workersRun(15, sharpening);
        machine(4, 0);
        planted.span(111, "node-loop", "poll", 0, 1, Map.of("loop", 8))
                .span(111, "node-loop", "poll", 900, 901, Map.of("loop", 8))
                .span(111, "node-loop", "poll", 1800, 1990, Map.of("loop", 8));

        assertThat(planted.rules(folder)).containsExactly("workers-busy", "off-cpu");
    }

    @Test
    void withoutRequestsThatWaitItIsNotHigh() throws Exception {
        loop(10);
        workersRun(15, sharpening);
        machine(4, 0);
        planted.sql("DELETE FROM requests");

        assertThat(planted.finding(folder, "workers-busy").severity()).isEqualTo(Severity.MEDIUM);
    }

    @Test
    void workersThatLeaveTheLoopACpuAreNotAccused() throws Exception {
        loop(0.4);
        workersRun(15, sharpening);
        machine(4, 0);

        assertThat(planted.rules(folder)).doesNotContain("workers-busy");
    }

    @Test
    void workersWithASmallPartOfTheCpusAreNotWhatTheLoopWaitsFor() throws Exception {
        loop(10);
        workersRun(60, sharpening);
        machine(4, 0);

        assertThat(planted.rules(folder)).contains("off-cpu").doesNotContain("workers-busy");
    }

    @Test
    void threadsWithoutJavaScriptAreNoWorkers() throws Exception {
        loop(10);
        workersRun(15, planted.stack("PKCS5_PBKDF2_HMAC", "uv__work", "worker"));
        machine(4, 0);

        assertThat(planted.rules(folder)).contains("off-cpu").doesNotContain("workers-busy");
    }

    /** Turns each of which waits for a CPU for so long before its own work, and the request that it serves. */
    private void loop(double readyMs) throws SQLException {
        for (int turn = 0; turn < TURNS; turn++) {
            double atMs = turn * 20;
            planted.poll(atMs, atMs + 1).offCpu(Planted.LOOP, atMs + 2, atMs + 2 + readyMs, true);
            planted.request("SERVER", "/page", atMs + 1, atMs + 6 + readyMs, "5000000 AS javascript_ns");
            planted.poll(atMs + 6 + readyMs, atMs + 19);
        }
    }

    /** The three have a sample each, in turn, so many ms apart: 15 are two CPUs, with samples of 10 ms. */
    private void workersRun(double everyMs, long stack) throws SQLException {
        for (int worker : WORKERS) {
            for (double atMs = worker % 111; atMs < TURNS * 20; atMs += everyMs) {
                planted.event(worker, "profile", "cpu sample", atMs, Map.of("period_ns", 10_000_000), stack);
            }
        }
    }

    /** Readings of the counters over 2 s, in s of CPU time. */
    private void machine(double busyS, double idleS) throws SQLException {
        for (int reading = 0; reading <= 1; reading++) {
            Map<String, Object> process = new LinkedHashMap<>();
            process.put("user_ns", Math.round(reading * busyS * 1e9));
            process.put("system_ns", 0L);
            process.put("run_delay_ns", Math.round(reading * 1e9));
            planted.event(Planted.LOOP, "process", "cpu", reading * 2000, process, 0);
            Map<String, Object> machine = new LinkedHashMap<>();
            machine.put("busy_ns", Math.round(reading * busyS * 1e9));
            machine.put("idle_ns", Math.round(reading * idleS * 1e9));
            machine.put("steal_ns", 0L);
            planted.event(Planted.LOOP, "process", "machine cpu", reading * 2000, machine, 0);
        }
    }
}
