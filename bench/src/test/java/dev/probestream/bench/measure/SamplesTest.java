package dev.probestream.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class SamplesTest {
    private final Samples samples = new Samples();

    @Test
    void medianIsInTheMiddleWhateverTheOrder() {
        for (double value : new double[] {1000, 3, 1, 2, 4}) {
            samples.add(value);
        }

        assertThat(samples.median()).isEqualTo(3);
    }

    @Test
    void medianOfAnEvenCountLiesBetweenTheTwoInTheMiddle() {
        for (double value : new double[] {4, 1, 2, 3}) {
            samples.add(value);
        }

        assertThat(samples.median()).isEqualTo(2.5);
        assertThat(samples.spread()).isEqualTo(1.5 / 2.5);
    }

    @Test
    void manySamplesFindRoom() {
        for (int value = 0; value <= 100; value++) {
            samples.add(value);
        }

        assertThat(samples.median()).isEqualTo(50);
    }

    @Test
    void nothingMeasuredHasNoMedian() {
        assertThatThrownBy(samples::median)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("nothing was measured");
    }

    @Test
    void pairsCompareSamplesOfTheSameRound() {
        Samples others = new Samples();
        samples.add(6);
        others.add(2);
        samples.add(100);
        others.add(25);

        assertThat(samples.pairedRatios(others).median()).isEqualTo(3.5);
    }

    @Test
    void roundsThatLackAPartnerCannotBePaired() {
        samples.add(1);

        assertThatThrownBy(() -> samples.pairedRatios(new Samples()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("1 samples cannot be paired with 0");
    }
}
