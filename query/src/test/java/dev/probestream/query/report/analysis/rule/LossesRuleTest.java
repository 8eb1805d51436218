package dev.probestream.query.report.analysis.rule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.query.report.Finding;
import dev.probestream.query.report.analysis.Planted;
import java.nio.file.Path;
import java.sql.SQLException;
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
}
