package dev.probestream.query.report.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.query.report.Finding;
import dev.probestream.query.report.ReportContents;
import dev.probestream.query.report.ReportPart;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the report makes of sums, of times that were not watched, and of the cost. */
class CostAndGapsTest {
    @TempDir
    private Path folder = Path.of("");

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
    void costIsOneLineBySet() throws Exception {
        planted.turns(5, 5, 5).poll(900, 1000);
        planted.span(Planted.LOOP, "node-http", "request", 3, 4, Map.of("path", "/x"));
        planted.sql("INSERT INTO costs BY NAME SELECT 1 AS capture_id, 0 AS from_mono_ns, 1000000000 AS to_mono_ns,"
                + " 400000000 AS target_cpu_ns, [{'probe_id': 1, 'hits': 10000, 'program_ns': 3000000, 'trap_ns': 5000000},"
                + " {'probe_id': 2, 'hits': 4000, 'program_ns': 6000000, 'trap_ns': 6000000}] AS probes");

        ReportContents report = planted.report(folder);

        assertThat(fact(report, "cost"))
                .isEqualTo("2.0 % of a CPU, 5.0 % of the processes' CPU time: node-http 1.2, node-loop 0.8");
        assertThat(report.captures().get(0).isWhole()).isTrue();
        assertThat(rows(report, "What the probes cost").get(0).get(0)).isEqualTo("node-http");
    }

    @Test
    void gapsAreSaidAndCountsAreScaled() throws Exception {
        planted.turns(5, 5, 5).poll(900, 1000);
        for (int i = 0; i < 10; i++) {
            planted.request("SERVER", "/a", i * 10, i * 10 + 5, "200 AS status");
        }
        planted.sql("UPDATE captures SET end_mono_ns = 1000000000");
        planted.sql("INSERT INTO gaps BY NAME SELECT 1 AS capture_id, 'node-http' AS category, 'BUDGET' AS reason,"
                + " 200000000 AS from_mono_ns, 600000000 AS to_mono_ns");

        ReportContents report = planted.report(folder);

        assertThat(fact(report, "not watched")).isEqualTo("node-http 40 % of the time");
        assertThat(report.captures().get(0).isWhole()).isFalse();
        // [0, 200) stands for [0, 400).
        assertThat(rows(report, "By route").get(0)).startsWith("GET /a", "about 20");
        assertThat(rows(report, "What was not watched").get(0)).startsWith("node-http", "BUDGET", 1L, 400.0);
        Finding finding = report.findings().stream()
                .filter(found -> found.rule().equals("gaps"))
                .findFirst()
                .orElseThrow();
        assertThat(finding.title()).isEqualTo("node-http was not watched for 40 % of the time.");
        assertThat(finding.text()).contains("about");
    }

    @Test
    void setThatIsHitTooOftenIsAFindingWithItsReason() throws Exception {
        planted.turns(5, 5, 5).poll(900, 1000);
        planted.sql("UPDATE captures SET end_mono_ns = 1000000000");
        planted.sql("INSERT INTO gaps BY NAME SELECT 1 AS capture_id, 'user' AS category, NULL::INTEGER AS probe_id,"
                + " NULL::VARCHAR AS probe, 'HIT_RATE' AS reason, 300000000 AS from_mono_ns, 1000000000 AS to_mono_ns");

        ReportContents report = planted.report(folder);

        assertThat(fact(report, "not watched")).isEqualTo("user 70 % of the time");
        Finding finding = report.findings().stream()
                .filter(found -> found.rule().equals("gaps"))
                .findFirst()
                .orElseThrow();
        assertThat(finding.title()).isEqualTo("user was not watched for 70 % of the time.");
        assertThat(finding.text()).startsWith("All of it would have cost the process more CPU time than it needs");
    }

    @Test
    void systemCallsAreAllThoseOfTheSums() throws Exception {
        planted.turns(5, 5, 5);
        planted.span(Planted.LOOP, "syscalls", "read", 3, 5, Map.of("fd", 1), -104);
        planted.sql(
                "INSERT INTO hit_summaries BY NAME SELECT 1 AS capture_id, probe_id, probe, category, 100 AS pid, 100 AS tid,"
                        + " 0 AS from_mono_ns, 20000000 AS to_mono_ns, 70 AS count, 1 AS failed, 3000000 AS total_ns,"
                        + " 2000000 AS max_ns, [69, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1] AS durations FROM probes WHERE probe = 'read'");

        ReportContents report = planted.report(folder);

        assertThat(rows(report, "System calls").get(0)).startsWith("read", 70L, 3.0, 3.0);
        assertThat(rows(report, "By set of probes"))
                .contains(List.of("syscalls", 1L, 1L, 70L), List.of("node-loop", 1L, 4L, 4L));
    }

    private static String fact(ReportContents report, String label) {
        return report.captures().get(0).facts().stream()
                .filter(fact -> fact.label().equals(label))
                .map(ReportContents.Fact::value)
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + label));
    }

    private static List<List<Object>> rows(ReportContents report, String title) {
        return report.sections().stream()
                .flatMap(section -> section.parts().stream())
                .filter(ReportPart.Table.class::isInstance)
                .map(ReportPart.Table.class::cast)
                .filter(table -> table.title().equals(title))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no table " + title))
                .rows()
                .stream()
                .map(row -> row.stream()
                        .map(Objects::requireNonNull)
                        .map(Object.class::cast)
                        .toList())
                .toList();
    }
}
