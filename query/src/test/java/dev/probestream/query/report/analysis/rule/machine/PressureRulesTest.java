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

/** A machine that had no CPU, memory or disk for the process, and those that were busy with something else; readings over 10 s. */
class PressureRulesTest {
    private static final double S = 1e9;
    private static final int WORKER = 105;

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
    void aProcessWhoseThreadsWaitForCpusThatOthersHaveIsFound() throws Exception {
        process(2, 6);
        machine(19, 1, 0);
        pressure("machine pressure", 8, 0, 0);

        Finding finding = planted.findings(folder).get(0);

        assertThat(finding.rule()).isEqualTo("cpu-pressure");
        assertThat(finding.severity()).isEqualTo(Severity.HIGH);
        assertThat(finding.title())
                .isEqualTo(
                        "The machine had no CPU for the process: its threads were ready to run and had none for 75 % of the"
                                + " 8.0 s in which they ran or were ready, added up.");
        assertThat(finding.text())
                .isEqualTo(
                        "For 80 % of the time tasks of the machine waited for a CPU (PSI). Other processes had 85 % of the CPU"
                                + " time of the machine, this one 10 %; 5 % was idle. No CPU limit held the process back.");
        assertThat(finding.remedy()).startsWith("Move other programs away");
    }

    @Test
    void whatTheHypervisorTookIsNamed() throws Exception {
        process(4, 4);
        machine(8, 1, 11);
        pressure("machine pressure", 8, 0, 0);

        assertThat(planted.finding(folder, "cpu-pressure").text())
                .contains("this one 20 %, and the hypervisor gave 55 % to other machines; 5 % was idle.");
    }

    @Test
    void ofAProcessWithALoopItsThreadCountsAndTheSwitchesAreAConsequence() throws Exception {
        starvedLoop();
        process(2, 6);
        machine(19, 1, 0);
        pressure("cgroup pressure", 8, 0, 0);

        List<Finding> findings = planted.findings(folder);

        assertThat(findings).extracting(Finding::rule).startsWith("cpu-pressure");
        assertThat(findings.get(0).title()).contains("its event loop's thread was ready to run and had none for ");
        assertThat(findings.get(0).text())
                .startsWith("For 80 % of the time tasks of its control group waited for a CPU");
        Finding starved = planted.finding(folder.resolve("again"), "off-cpu");
        assertThat(starved.isConsequence()).isTrue();
        assertThat(starved.text())
                .endsWith(
                        "A consequence of the busy machine (cpu-pressure), or prolonged by it: the process had no CPU meanwhile.");
    }

    @Test
    void withoutSwitchesABlockedLoopIsItsConsequence() throws Exception {
        planted.turns(300, 300, 300);
        process(2, 6);
        machine(19, 1, 0);
        pressure("machine pressure", 8, 0, 0);

        List<Finding> findings = planted.findings(folder);

        assertThat(findings).extracting(Finding::rule).startsWith("cpu-pressure", "loop-blocked");
        assertThat(findings.get(1).isConsequence()).isTrue();
    }

    @Test
    void pressureOfOthersIsNoFindingOfAProcessThatDidNotWait() throws Exception {
        process(2, 0.2);
        machine(19, 1, 0);
        pressure("machine pressure", 8, 8, 8);

        assertThat(planted.rules(folder)).containsExactly("healthy");
    }

    @Test
    void aLoopThatHadItsCpuIsNotAccusedForItsOtherThreads() throws Exception {
        planted.turns(30, 30, 30, 30).poll(125, 10_000);
        planted.offCpu(Planted.LOOP, 2, 3, true).offCpu(Planted.LOOP, 100, 101, true);
        process(2, 6);
        machine(19, 1, 0);
        pressure("machine pressure", 8, 0, 0);

        assertThat(planted.rules(folder)).containsExactly("healthy");
    }

    @Test
    void aProcessThatWaitsForItsOwnThreadsOrOnAnIdleMachineIsNotHeldBackByIt() throws Exception {
        process(14, 10);
        machine(19, 1, 0);
        pressure("machine pressure", 8, 0, 0);
        assertThat(planted.rules(folder.resolve("own"))).containsExactly("healthy");

        planted.sql("DELETE FROM events");
        process(2, 6);
        machine(12, 8, 0);
        pressure("machine pressure", 8, 0, 0);
        assertThat(planted.rules(folder.resolve("idle"))).containsExactly("healthy");
    }

    @Test
    void aLimitThatHeldTheProcessBackIsNotTheMachine() throws Exception {
        process(2, 6);
        machine(19, 1, 0);
        pressure("cgroup pressure", 8, 0, 0);
        Map<String, Object> limit = new LinkedHashMap<>();
        for (int reading = 0; reading <= 1; reading++) {
            limit.put("limit", 20);
            limit.put("period_ns", 100_000_000);
            limit.put("periods", 100 * reading);
            limit.put("throttled_periods", 90 * reading);
            limit.put("throttled_ns", 6_000_000_000L * reading);
            planted.event(Planted.LOOP, "process", "cpu limit", reading * 10_000, limit, 0);
        }

        assertThat(planted.rules(folder)).containsExactly("cpu-throttled");
    }

    @Test
    void anotherControlGroupsTotalsAreNoPressure() throws Exception {
        process(2, 6);
        machine(19, 1, 0);
        pressure("cgroup pressure", 8, 0, 0);
        planted.sql("UPDATE events SET a0 = 5000000000 WHERE probe = 'cgroup pressure' AND a0 = 0");
        planted.sql("UPDATE events SET a0 = 400000000000 WHERE probe = 'cgroup pressure' AND a0 = 8000000000");

        assertThat(planted.rules(folder)).containsExactly("healthy");
    }

    @Test
    void aThreadThatWaitsForFilesUnderPressureOfDisksIsFound() throws Exception {
        uninterruptible("read", "uv__fs_read", "uv__fs_work", "worker");
        pressure("cgroup pressure", 0, 0, 5);

        Finding finding = planted.findings(folder).get(0);

        assertThat(finding.rule()).isEqualTo("io-pressure");
        assertThat(finding.severity()).isEqualTo(Severity.MEDIUM);
        assertThat(finding.title())
                .isEqualTo(
                        "The process waited for disks: one of its threads (thread pool, 105) for 40 % of the 10 s of the"
                                + " recording.");
        assertThat(finding.text())
                .isEqualTo("40 waits in the kernel that no signal ends took 4.0 s, the longest 100 ms."
                        + " For 50 % of the time tasks of its control group waited for disks (PSI).");
    }

    @Test
    void underPressureOfMemoryTheDisksAreNoFinding() throws Exception {
        uninterruptible("page_fault", "allocate");
        pressure("cgroup pressure", 0, 5, 5);

        assertThat(planted.rules(folder)).contains("memory-pressure").doesNotContain("io-pressure");
    }

    @Test
    void waitsForALockOfTheKernelAreNotForDisksThatOthersKeepBusy() throws Exception {
        uninterruptible("munmap", "free");
        pressure("cgroup pressure", 0, 0, 5);

        assertThat(planted.rules(folder)).doesNotContain("io-pressure", "memory-pressure");
    }

    @Test
    void pressureOfTheMachineAloneDoesNotShowWhatAThreadWaitedFor() throws Exception {
        uninterruptible("read", "uv__fs_read");
        pressure("machine pressure", 0, 5, 5);

        assertThat(planted.rules(folder)).doesNotContain("io-pressure", "memory-pressure");
    }

    @Test
    void fewWaitsAreNoFinding() throws Exception {
        planted.poll(0, 10_000);
        pressure("cgroup pressure", 0, 5, 5);

        assertThat(planted.rules(folder)).containsExactly("healthy");
    }

    /** CPU time of the process, and how long its threads were ready without a CPU, in s. */
    private void process(double usedS, double delayS) throws SQLException {
        read("cpu", "user_ns", usedS, "system_ns", 0.0, "run_delay_ns", delayS);
    }

    private void machine(double busyS, double idleS, double stealS) throws SQLException {
        read("machine cpu", "busy_ns", busyS, "idle_ns", idleS, "steal_ns", stealS);
    }

    private void pressure(String counter, double cpuS, double memoryS, double ioS) throws SQLException {
        read(counter, "cpu_some", cpuS, "memory_some", memoryS, "io_some", ioS);
    }

    private void read(String counter, Object... namesAndSeconds) throws SQLException {
        for (int reading = 0; reading <= 1; reading++) {
            Map<String, Object> values = new LinkedHashMap<>();
            for (int i = 0; i < namesAndSeconds.length; i += 2) {
                values.put((String) namesAndSeconds[i], Math.round(reading * S * (double) namesAndSeconds[i + 1]));
            }
            planted.event(Planted.LOOP, "process", counter, reading * 10_000, values, 0);
        }
    }

    private void starvedLoop() throws SQLException {
        planted.turns(30, 30, 30, 30).poll(125, 10_000);
        for (int i = 0; i < 10; i++) {
            planted.offCpu(Planted.LOOP, i * 12 + 1, i * 12 + 8, true);
        }
    }

    /** A thread of the pool waits 40 times for 100 ms, with this stack. */
    private void uninterruptible(String... leafFirst) throws SQLException {
        planted.thread(WORKER, "libuv-worker").poll(0, 10_000);
        long stack = planted.stack(leafFirst);
        for (int i = 0; i < 40; i++) {
            planted.waits(WORKER, 100 + i * 200, 200 + i * 200, stack);
        }
        // TASK_UNINTERRUPTIBLE of include/linux/sched.h
        planted.sql("UPDATE events SET a3 = 2 WHERE kind = 'SWITCH' AND a3 = 1");
    }
}
