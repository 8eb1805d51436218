package dev.probestream.query.report.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.query.report.Finding;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A recording of two processes: findings name theirs, and counts are of one process each. */
class SeveralProcessesTest {
    @TempDir
    private Path folder;

    @Test
    void failedRequestsAreCountedByProcessAndTheProcessIsNamed() throws Exception {
        try (Planted planted = new Planted()) {
            planted.turns(10, 10);
            for (int i = 0; i < 200; i++) {
                planted.request("SERVER", "/a", i, i + 1, i < 20 ? "500 AS status" : "200 AS status");
            }
            planted.sql("INSERT INTO processes BY NAME SELECT 1 AS capture_id, 101 AS pid, 'node' AS name");
            planted.sql(
                    "UPDATE processes SET command_line = ['node', CASE pid WHEN 100 THEN '/srv/web.js' ELSE '/srv/api.js' END]");
            planted.sql("UPDATE requests SET pid = 101 WHERE request_id > 100");

            assertThat(planted.findings(folder))
                    .filteredOn(finding -> finding.rule().equals("errors"))
                    .extracting(Finding::title)
                    .isEqualTo(List.of("20 % of the requests failed: most of them GET /a (process 100, web.js)."));
        }
    }

    @Test
    void ofOneProcessNoneIsNamed() throws Exception {
        try (Planted planted = new Planted()) {
            planted.turns(10, 900, 10);

            assertThat(planted.finding(folder, "loop-blocked").title()).doesNotContain("process");
        }
    }
}
