package dev.probestream.query.report.comparison;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StudentTTest {
    /** From the tables of statistics. */
    @ParameterizedTest
    @CsvSource({
        "7, 0.025, 2.365",
        "14, 0.025, 2.145",
        "14, 0.005, 2.977",
        "10, 0.0005, 4.587",
        "1, 0.05, 6.314",
        "7, 0.5, 0"
    })
    void isThatOfTheTables(double freedom, double share, double t) {
        assertThat(StudentT.above(t, freedom)).isCloseTo(share, within(share / 1000 + 1e-9));
        assertThat(StudentT.above(-t, freedom)).isCloseTo(1 - share, within(1e-4));
        assertThat(StudentT.exceededBy(share, freedom)).isCloseTo(t, within(1e-3));
    }
}
