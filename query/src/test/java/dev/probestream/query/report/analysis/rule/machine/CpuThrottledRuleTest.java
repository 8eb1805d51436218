package dev.probestream.query.report.analysis.rule.machine;

import static org.assertj.core.api.Assertions.assertThat;

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

/** A process whose control group has used up its CPU time, and those that look like it. */
class CpuThrottledRuleTest {
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
    void theLimitComesFirstAndTheFunctionThatRanIsItsConsequence() throws Exception {
        busyLoop();
        throttled(388, 336);

        List<Finding> findings = planted.findings(folder);

        assertThat(findings.get(0).rule()).isEqualTo("cpu-throttled");
        assertThat(findings.get(0).severity()).isEqualTo(Severity.HIGH);
        assertThat(findings.get(0).title())
                .isEqualTo("The process is throttled: its control group may use 15 % of a CPU"
                        + " (/sys/fs/cgroup/app/cpu.max), and had used that up in 336 of 388 periods.");
        assertThat(findings.get(0).text())
                .startsWith("In 87 % of the 388 periods of 100 ms in which the control group was active")
                .contains("Such periods are 84 % of the 40 s between the first and the last reading")
                .contains("The process itself used 15 % of a CPU.");
        Finding burnt = findings.stream()
                .filter(finding -> finding.rule().equals("cpu-burnt"))
                .findFirst()
                .orElseThrow();
        assertThat(burnt.severity()).isEqualTo(Severity.MEDIUM);
        assertThat(burnt.text()).endsWith("prolonged by it: the process was throttled meanwhile.");
    }

    @Test
    void aProcessThatReachesItsLimitNowAndThenIsNotThrottled() throws Exception {
        busyLoop();
        throttled(388, 18);

        assertThat(planted.rules(folder)).containsExactly("cpu-burnt", "off-cpu");
    }

    @Test
    void aProcessThatIsIdleMostOfTheTimeIsNotThrottledByAFewPeriods() throws Exception {
        throttled(14, 12);

        assertThat(planted.rules(folder)).containsExactly("healthy");
    }

    @Test
    void aTurnThatIsLongOnTheCpuStaysOfHighSeverityBehindTheLimit() throws Exception {
        planted.turns(30, 700, 30);
        planted.span(Planted.LOOP, "node-gc", "GC", 40, 290, Map.of("heap", 9, "reason", 1));
        planted.span(Planted.LOOP, "node-gc", "scavenge", 40, 290, Map.of("heap", 9));
        planted.poll(764, 40_000);
        planted.offCpu(Planted.LOOP, 2, 3, false);
        throttled(388, 336);

        List<Finding> findings = planted.findings(folder);

        assertThat(findings).extracting(Finding::rule).startsWith("cpu-throttled", "loop-blocked");
        assertThat(findings.get(1).severity()).isEqualTo(Severity.HIGH);
    }

    private void busyLoop() throws SQLException {
        double[] turns = new double[110];
        Arrays.fill(turns, 60);
        planted.turns(turns);
        for (int turn = 0; turn < turns.length; turn++) {
            planted.span(Planted.LOOP, "node-loop", "timers", turn * 61 + 2, turn * 61 + 60, Map.of("loop", 7));
        }
        planted.poll(6711, 40_000);
        planted.offCpu(Planted.LOOP, 6712, 39_999, true);
        for (int turn = 0; turn < turns.length; turn++) {
            planted.offCpu(Planted.LOOP, turn * 61 + 10, turn * 61 + 30, true);
        }
    }

    /** Readings over 40 s. */
    private void throttled(long periods, long throttledPeriods) throws SQLException {
        planted.event(Planted.LOOP, "process", "cpu limit file", 0, Map.of("file", "/sys/fs/cgroup/app/cpu.max"), 0);
        for (int reading = 0; reading <= 1; reading++) {
            Map<String, Object> limit = new LinkedHashMap<>();
            limit.put("limit", 15);
            limit.put("period_ns", 100_000_000);
            limit.put("periods", periods * reading);
            limit.put("throttled_periods", throttledPeriods * reading);
            limit.put("throttled_ns", throttledPeriods * 80_000_000 * reading);
            planted.event(Planted.LOOP, "process", "cpu limit", reading * 40_000, limit, 0);
            Map<String, Object> cpu = new LinkedHashMap<>();
            cpu.put("user_ns", 5_500_000_000L * reading);
            cpu.put("system_ns", 500_000_000L * reading);
            planted.event(Planted.LOOP, "process", "cpu", reading * 40_000, cpu, 0);
        }
    }
}
