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

class LossesRuleTest {
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
    void lossesAreFoundWithTheirEffect() throws Exception {
        planted.turns(5, 5, 5);
        planted.sql(
                "INSERT INTO losses BY NAME SELECT 1 AS capture_id, 1 AS probe_id, 'poll' AS probe, 'RING_FULL' AS reason,"
                        + " 96 AS count, 0 AS from_mono_ns, 1000000 AS to_mono_ns");

        Finding finding = planted.finding(folder, "losses");

        assertThat(finding.title()).isEqualTo("96 hits were lost: 96 % of all.");
        assertThat(finding.text()).contains("lower bounds");
    }

    @Test
    void causesStandBeforeThem() throws Exception {
        planted.turns(5, 5, 5);
        for (int i = 0; i < 100; i++) {
            planted.request("SERVER", "/a", i, i + 0.5, (i % 16 == 0 ? 500 : 200) + " AS status");
        }
        planted.sql(
                "INSERT INTO losses BY NAME SELECT 1 AS capture_id, 1 AS probe_id, 'poll' AS probe, 'RING_FULL' AS reason,"
                        + " 9600 AS count, 0 AS from_mono_ns, 1000000 AS to_mono_ns");

        List<Finding> findings = planted.findings(folder);

        assertThat(findings).extracting(Finding::rule).containsExactly("errors", "losses");
        assertThat(findings).extracting(Finding::severity).containsOnly(Severity.MEDIUM);
    }
}
