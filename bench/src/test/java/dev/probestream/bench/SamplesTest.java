package dev.probestream.bench;

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
}
