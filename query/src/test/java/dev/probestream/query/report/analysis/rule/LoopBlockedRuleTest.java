package dev.probestream.query.report.analysis.rule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.query.report.Finding;
import dev.probestream.query.report.Finding.Severity;
import dev.probestream.query.report.analysis.Planted;
import java.nio.file.Path;
import java.sql.SQLException;
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

        assertThat(planted.finding(folder, "loop-blocked").title())
                .startsWith("both (app/a.js:9) blocked the event loop for 600 ms");
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
}
