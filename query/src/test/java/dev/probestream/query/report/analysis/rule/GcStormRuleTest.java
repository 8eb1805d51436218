package dev.probestream.query.report.analysis.rule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.query.report.Finding;
import dev.probestream.query.report.Finding.Severity;
import dev.probestream.query.report.analysis.Planted;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GcStormRuleTest {
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
    void garbageIsFoundWithTheFunctionThatMadeIt() throws Exception {
        long grouping = planted.stack(
                "v8::internal::Scavenger::Process",
                "v8::internal::Heap::CollectGarbage",
                "groupRows /app/lib/summary.js:7");
        collect(30, grouping);

        Finding finding = planted.finding(folder, "gc-storm");

        assertThat(finding.severity()).isEqualTo(Severity.HIGH);
        assertThat(finding.title())
                .isEqualTo(
                        "The garbage collector stopped JavaScript for 30 % of the 993 ms in which its thread had a CPU or"
                                + " nothing to do, mostly for objects of groupRows"
                                + " (lib/summary.js:7).");
    }

    @Test
    void onePauseOfAThreadThatRarelyHadACpuIsNotOfHighSeverity() throws Exception {
        planted.turns(400, 300, 200);
        planted.span(Planted.LOOP, "node-gc", "GC", 10, 254, Map.of("heap", 9, "reason", 1));
        planted.span(Planted.LOOP, "node-gc", "mark-compact", 10, 254, Map.of("heap", 9));
        planted.offCpu(Planted.LOOP, 1000, 20_000, true);

        Finding finding = planted.finding(folder, "gc-storm");

        assertThat(finding.severity()).isEqualTo(Severity.MEDIUM);
        assertThat(finding.title()).isEqualTo("The garbage collector stopped JavaScript for 244 ms at a time.");
    }

    @Test
    void littleGarbageIsNoFinding() throws Exception {
        collect(5, 0);

        // The loop itself is busy all the time.
        assertThat(planted.rules(folder)).containsExactly("cpu-burnt");
    }

    /** Every 10th of a second a pause. */
    @Test
    void loopThatTheCollectorBlocksIsItsConsequence() throws Exception {
        planted.turns(400, 400);
        for (int i = 0; i < 6; i++) {
            pause(10 + i * 120, 90);
        }

        assertThat(planted.finding(folder, "gc-storm").isConsequence()).isFalse();
        assertThat(planted.finding(folder, "loop-blocked").isConsequence()).isTrue();
    }

    /** Half of 700 ms are pauses: the rest is not so long that the turn needs no other cause. */
    @Test
    void longTurnsThatTheCollectorBlocksAreItsConsequence() throws Exception {
        planted.turns(700, 700);
        for (int i = 0; i < 14; i++) {
            pause(10 + i * 100, 50);
        }

        assertThat(planted.finding(folder, "gc-storm").isConsequence()).isFalse();
        assertThat(planted.finding(folder, "loop-blocked").isConsequence()).isTrue();
    }

    @Test
    void pausesInWhatBlocksTheLoopAreItsConsequence() throws Exception {
        planted.turns(400, 400);
        for (int i = 0; i < 6; i++) {
            pause(10 + i * 120, 30);
        }

        assertThat(planted.finding(folder, "loop-blocked").isConsequence()).isFalse();
        assertThat(planted.finding(folder, "gc-storm").isConsequence()).isTrue();
    }

    private void pause(double atMs, double pauseMs) throws SQLException {
        planted.span(Planted.LOOP, "node-gc", "GC", atMs, atMs + pauseMs, Map.of("heap", 9, "reason", 1));
        planted.span(Planted.LOOP, "node-gc", "scavenge", atMs, atMs + pauseMs, Map.of("heap", 9));
    }

    private void collect(double pauseMs, long stack) throws SQLException {
        double[] busyMs = new double[32];
        Arrays.fill(busyMs, 30);
        planted.turns(busyMs);
        for (int i = 0; i < 10; i++) {
            pause(i * 100, pauseMs);
            if (stack != 0) {
                planted.samples(Planted.LOOP, i * 100, i * 100 + pauseMs, stack);
            }
        }
    }
}
