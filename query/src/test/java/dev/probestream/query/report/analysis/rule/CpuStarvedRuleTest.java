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

class CpuStarvedRuleTest {
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
    void threadWithoutACpuIsFoundWithWhatRanInstead() throws Exception {
        planted.turns(30, 30, 30, 30);
        for (int i = 0; i < 10; i++) {
            planted.offCpu(Planted.LOOP, i * 12 + 1, i * 12 + 8, true);
        }

        Finding finding = planted.finding(folder, "off-cpu");

        assertThat(finding.severity()).isEqualTo(Severity.MEDIUM);
        assertThat(finding.text()).contains("stress (10 times)");
    }

    @Test
    void threadThatWaitsVoluntarilyIsNotStarved() throws Exception {
        planted.turns(30, 30, 30, 30);
        for (int i = 0; i < 10; i++) {
            planted.offCpu(Planted.LOOP, i * 12 + 1, i * 12 + 8, false);
        }

        assertThat(planted.rules(folder)).containsExactly("healthy");
    }
}
