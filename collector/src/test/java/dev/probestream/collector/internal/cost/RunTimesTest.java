package dev.probestream.collector.internal.cost;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RunTimesTest {
    /** Statistics add 20 ns to a run, and a rejected run takes 15. */
    private static final TrapPrices PRICES = TrapPrices.USUAL;

    @Test
    void theTimeOfTheStatisticsAndOfOtherProcessesIsLeftOut() {
        RunTimes times = new RunTimes();
        times.add(100, 60, 60 * (300 + 20) + 40 * (15 + 20));

        assertThat(times.ownNs(PRICES)).isEqualTo(300);
        assertThat(times.ownRuns()).isEqualTo(60);
    }

    @Test
    void aSampleInWhichAProgramWasPreemptedDoesNotCount() {
        RunTimes times = new RunTimes();
        for (int i = 0; i < 9; i++) {
            times.add(10, 10, 10 * 220);
        }
        times.add(10, 10, 4_000_000);

        assertThat(times.ownNs(PRICES)).isEqualTo(200);
    }

    @Test
    void samplesWithManyRunsCountMore() {
        RunTimes times = new RunTimes();
        times.add(1000, 1000, 1000 * 320);
        times.add(1, 1, 120);
        times.add(1, 1, 140);

        assertThat(times.ownNs(PRICES)).isEqualTo(300);
    }

    @Test
    void theLatestSamplesReplaceTheOldest() {
        RunTimes times = new RunTimes();
        for (int i = 0; i < 100; i++) {
            times.add(10, 10, 10 * 1020);
        }
        for (int i = 0; i < 64; i++) {
            times.add(5, 5, 5 * 520);
        }

        assertThat(times.ownNs(PRICES)).isEqualTo(500);
        assertThat(times.ownRuns()).isEqualTo(64 * 5);
    }

    @Test
    void sampleOfWhichNearlyAllRunsWereForOthersSaysNothing() {
        RunTimes times = new RunTimes();
        times.add(1_000_000, 100, 1_000_000L * 30);

        assertThat(times.ownRuns()).isZero();
    }

    @Test
    void hitsOfTheWindowThatRanBeforeTheSampleAreNoRuns() {
        RunTimes times = new RunTimes();
        times.add(0, 3, 0);
        times.add(5, 7, 5 * 120);

        assertThat(times.ownRuns()).isEqualTo(5);
        assertThat(times.ownNs(PRICES)).isEqualTo(100);
    }
}
