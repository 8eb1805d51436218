package dev.probestream.query.report.analysis.rule.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.query.report.Finding;
import dev.probestream.query.report.Finding.Severity;
import dev.probestream.query.report.analysis.Planted;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Map;
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
        assertThat(finding.text())
                .contains("Its CPU was taken by stress (process 9; 70 ms until it had one again, 10 times).");
    }

    @Test
    void whatRanInsteadIsRankedByTimeAndTheHypervisorIsNamed() throws Exception {
        planted.turns(30, 30, 30, 30);
        for (int i = 0; i < 10; i++) {
            planted.offCpu(Planted.LOOP, i * 2 + 1, i * 2 + 2, true);
        }
        planted.offCpu(Planted.LOOP, 30, 100, true);
        planted.sql(
                "UPDATE events SET a5 = 7, s1 = 'encode' WHERE kind = 'SWITCH' AND a0 = 100 AND mono_ns = 30000000");
        for (int i = 0; i < 2; i++) {
            planted.event(
                    Planted.LOOP,
                    "process",
                    "machine cpu",
                    i * 120,
                    Map.of("busy_ns", 70 * i, "idle_ns", 10 * i, "steal_ns", 20 * i, "cpus", 2),
                    0);
        }

        assertThat(planted.finding(folder, "off-cpu").text())
                .contains(
                        "Its CPU was taken by encode (process 7; 70 ms until it had one again, 1 time), stress (process 9;")
                .contains("The hypervisor gave 20 % of the time of this machine's CPUs to others");
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
