package dev.probestream.query.report.analysis.rule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.query.report.Finding;
import dev.probestream.query.report.Finding.Severity;
import dev.probestream.query.report.analysis.Planted;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LoopBlockedRuleTest {
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

        Finding finding = planted.finding(folder, "loop-blocked");

        assertThat(finding.severity()).isEqualTo(Severity.HIGH);
        assertThat(finding.title())
                .isEqualTo(
                        "The event loop was blocked for up to 400 ms by JSON.parse, called by parseBody (lib/parse.js:2).");
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

        assertThat(planted.finding(folder, "loop-blocked").title())
                .startsWith("The event loop was blocked for 600 ms by both (app/a.js:9)");
    }

    @Test
    void turnsThatAreShortBlockNothing() throws Exception {
        planted.turns(40, 40, 40, 40, 40, 40);

        assertThat(planted.rules(folder)).containsExactly("healthy");
    }

    @Test
    void turnsWithoutACpuAreNotBlocked() throws Exception {
        planted.turns(400, 5, 400).offCpu(Planted.LOOP, 5, 395, true).offCpu(Planted.LOOP, 415, 800, true);

        assertThat(planted.rules(folder)).containsExactly("off-cpu");
    }

    @Test
    void waitForALockIsNotASynchronousCallWhileItsHolderHasNoCpu() throws Exception {
        long futex = planted.stack("futex_wait_queue", "pthread_cond_wait", "onRequest /app/server.js:5");
        planted.thread(101, "node");
        planted.turns(400, 5, 400);
        for (double beginMs : new double[] {5, 420}) {
            // The holder is ready all the time and runs for 5 ms before it wakes the loop's thread.
            planted.offCpu(101, beginMs - 1, beginMs + 360, true)
                    .waits(Planted.LOOP, beginMs, beginMs + 366, futex)
                    .waking(101, beginMs + 365, Planted.LOOP);
        }

        List<Finding> findings = planted.findings(folder);

        assertThat(findings).extracting(Finding::rule).containsExactly("off-cpu");
        assertThat(findings.get(0).title())
                .startsWith("The event loop's thread, or a thread that it waited for, had no CPU for 9");
        assertThat(findings.get(0).text()).contains("it waited for 720 ms for threads of its process");
    }

    @Test
    void waitForAThreadThatRunsIsASynchronousCall() throws Exception {
        long futex = planted.stack("futex_wait_queue", "pthread_cond_wait", "onRequest /app/server.js:5");
        planted.thread(101, "node");
        planted.turns(400, 5, 5).waits(Planted.LOOP, 5, 370, futex).waking(101, 365, Planted.LOOP);

        assertThat(planted.finding(folder, "loop-blocked").title())
                .startsWith("The event loop was blocked for 395 ms by waiting in a synchronous call");
    }

    @Test
    void waitInAnyOtherCallIsASynchronousCallThoughItsWakerHadNoCpu() throws Exception {
        long call =
                planted.stack("do_sys_poll", "poll", "spawnSync node:child_process:1", "onRequest /app/server.js:5");
        planted.thread(101, "node");
        planted.turns(400, 5, 5)
                .offCpu(101, 4, 360, true)
                .waits(Planted.LOOP, 5, 370, call)
                .waking(101, 365, Planted.LOOP);

        assertThat(planted.rules(folder)).containsExactly("loop-blocked");
    }
}
