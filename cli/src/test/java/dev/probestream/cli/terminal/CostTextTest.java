package dev.probestream.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.collector.cost.CostReading;
import java.util.List;
import org.junit.jupiter.api.Test;

class CostTextTest {
    private static final CostReading COST = new CostReading(
            1_000,
            1_000_001_000,
            400_000_000,
            List.of(
                    new CostReading.OfProbe(1, "headers", "node-http", 10_000, 1_000_000, 5_000_000),
                    new CostReading.OfProbe(2, "write", "node-http", 10_000, 2_000_000, 8_000_000),
                    new CostReading.OfProbe(3, "timers", "node-loop", 1_000, 100_000, 400_000)));

    @Test
    void aLineHasTheCostOfAllAndOfEachSet() {
        assertThat(CostText.lines(COST, false))
                .containsExactly(
                        "the probes cost 1.7 % of a CPU, 4.1 % of the time that the processes ran: node-http 1.6,"
                                + " node-loop 0.05");
    }

    @Test
    void theDearestProbeComesFirst() {
        assertThat(CostText.lines(COST, true).subList(1, 4))
                .containsExactly(
                        "    1.0 %  node-http    write: 10,000 hits of 1.0 us",
                        "    0.6 %  node-http    headers: 10,000 hits of 600 ns",
                        "   0.05 %  node-loop    timers: 1,000 hits of 500 ns");
    }

    @Test
    void withoutHitsThereIsNoLine() {
        assertThat(CostText.lines(CostReading.NONE, true)).isEmpty();
    }

    @Test
    void aShareOfUnknownTimeIsNotShown() {
        CostReading cost = new CostReading(0, 1_000_000_000, 0, COST.probes());

        assertThat(CostText.lines(cost, false).get(0)).startsWith("the probes cost 1.7 % of a CPU: node-http");
        assertThat(CostText.json(cost).has("targetPercent")).isFalse();
    }

    @Test
    void jsonHasTheSame() {
        assertThat(CostText.json(COST).toString())
                .isEqualTo("{\"cpuPercent\":1.65,\"targetPercent\":4.125,\"sets\":{\"node-http\":1.6,"
                        + "\"node-loop\":0.05}}");
    }

    @Test
    void aLaterReadingWithoutAnEarlierOneIsTheTimeBetween() {
        CostReading later = new CostReading(
                1_000,
                2_000_001_000,
                600_000_000,
                List.of(
                        COST.probes().get(0),
                        new CostReading.OfProbe(2, "write", "node-http", 15_000, 6_000_000, 15_000_000),
                        COST.probes().get(2)));

        assertThat(later.since(COST))
                .isEqualTo(new CostReading(
                        1_000_001_000,
                        2_000_001_000,
                        200_000_000,
                        List.of(new CostReading.OfProbe(2, "write", "node-http", 5_000, 2_000_000, 5_000_000))));
    }
}
