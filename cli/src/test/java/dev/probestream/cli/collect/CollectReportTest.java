package dev.probestream.cli.collect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.cli.terminal.ServiceLog;
import dev.probestream.cli.terminal.Terminal;
import dev.probestream.collector.cost.CostReading;
import dev.probestream.collector.request.CollectionProgress;
import dev.probestream.collector.request.CollectionProgress.ProbeLoss;
import dev.probestream.schema.record.LossReason;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;

class CollectReportTest {
    private static final String STAMP = "2026-11-21T14:03:00Z ";

    private final StringWriter text = new StringWriter();
    private final ServiceLog log = new ServiceLog(
            new Terminal(new PrintWriter(text), false), InstantSource.fixed(Instant.parse(STAMP.strip())));
    private long nowNs;
    private long acknowledged;
    private final CollectReport report = new CollectReport(log, "kafka:9092", () -> acknowledged, () -> nowNs);

    @Test
    void thereIsALineAMinute() {
        at(30, 3000, 3000, 0);
        at(60, 6000, 5990, 0);
        at(61, 6100, 6100, 0);

        assertThat(said()).containsExactly("6,000 events so far (100/s), 5,990 acknowledged, 1.0 KB, none lost");
    }

    @Test
    void aSilentBrokerIsSaidOnceAndSoIsItsReturn() {
        at(1, 100, 100, 0);
        at(2, 150, 100, 0);
        at(6, 180, 100, 0);
        at(7, 200, 100, 0);
        at(13, 200, 100, 0);
        at(14, 200, 150, 0);

        assertThat(said())
                .containsExactly(
                        "broker at kafka:9092 does not respond: 80 events are waiting; new hits stay in the ring buffer until it is full, then they are counted as lost",
                        "broker at kafka:9092 responds again after 13.0 s; no sent event was lost");
    }

    /** The thread that reads the counts of losses waits as long as nothing can be published. */
    @Test
    void lossesAreNotDeniedWhileTheBrokerIsSilent() {
        at(1, 100, 100, 0);
        at(10, 200, 100, 0);
        at(70, 200, 100, 0);

        assertThat(said())
                .last()
                .isEqualTo(
                        "200 events so far (3/s), 100 acknowledged, 1.0 KB, none lost; hits that are lost now are counted"
                                + " when the broker responds");
    }

    @Test
    void nothingToSendIsNoSilence() {
        at(1, 100, 100, 0);
        at(50, 100, 100, 0);

        assertThat(said()).isEmpty();
    }

    @Test
    void lossesAreSaidWhenTheyBeginAndWhenTheyEnd() {
        at(1, 100, 100, 0);
        at(2, 200, 200, 7);
        at(3, 300, 300, 20);
        at(12, 400, 400, 20);
        at(13, 500, 500, 20);
        at(20, 600, 600, 25);

        assertThat(said())
                .containsExactly(
                        "losses started: 7 hits of poll so far: the ring buffer was full; use a larger one (--ring-size) or fewer probes",
                        "losses ended: 20 hits lost in 1.0 s",
                        "losses started: 25 hits of poll so far: the ring buffer was full; use a larger one (--ring-size) or fewer probes");
    }

    private void at(long second, long delivered, long acknowledgedEvents, long lost) {
        nowNs = Duration.ofSeconds(second).toNanos();
        acknowledged = acknowledgedEvents;
        List<ProbeLoss> losses = lost == 0 ? List.of() : List.of(new ProbeLoss("poll", LossReason.RING_FULL, lost));
        report.progress(new CollectionProgress(delivered, lost, losses, 1000, 0, CostReading.NONE, List.of()));
        report.tick();
    }

    private List<String> said() {
        return text.toString()
                .lines()
                .map(line -> line.startsWith(STAMP) ? line.substring(STAMP.length()) : line)
                .toList();
    }
}
