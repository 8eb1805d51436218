package dev.probestream.query.report.analysis.fact;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.query.report.analysis.chapter.TimeAxis;
import org.junit.jupiter.api.Test;

class AmountsTest {
    @Test
    void durationsHaveTheUnitThatAPersonWouldChoose() {
        assertThat(Amounts.ofNs(40_000)).isEqualTo("0.04 ms");
        assertThat(Amounts.ofNs(1_400_000)).isEqualTo("1.4 ms");
        assertThat(Amounts.ofNs(612e6)).isEqualTo("612 ms");
        assertThat(Amounts.ofNs(3.14e9)).isEqualTo("3.1 s");
        assertThat(Amounts.ofNs(600e9)).isEqualTo("10 min");
    }

    @Test
    void shareOfSomethingIsNeverNothing() {
        assertThat(Amounts.share(1, 1000)).isEqualTo("< 1 %");
        assertThat(Amounts.share(61, 100)).isEqualTo("61 %");
        assertThat(Amounts.share(0, 100)).isEqualTo("0 %");
        assertThat(Amounts.share(1, 0)).isEqualTo("0 %");
    }

    @Test
    void countsAndBytesReadWell() {
        assertThat(Amounts.count(1, "request")).isEqualTo("1 request");
        assertThat(Amounts.count(12345, "request")).isEqualTo("12,345 requests");
        assertThat(Amounts.bytes(1536)).isEqualTo("1.5 KiB");
        assertThat(Amounts.rounded(123456)).isEqualTo(123456);
        assertThat(Amounts.rounded(0.123456)).isEqualTo(0.1235);
        assertThat(Amounts.rounded(8.88e-12)).isZero();
    }

    @Test
    void axisHasRoundStepsAndNotTooMany() {
        TimeAxis axis = TimeAxis.between(1_000_003, 1_061_234);
        assertThat(axis).isEqualTo(new TimeAxis(1_000_003, 500, 122, 732));
        assertThat(TimeAxis.between(5, 5).steps()).isEqualTo(1);
    }

    @Test
    void shareInPerCentAboveZeroIsNeverZero() {
        assertThat(Amounts.percent(18, 1000)).isEqualTo("1.8");
        assertThat(Amounts.percent(1, 1_000_000)).isEqualTo("< 0.01");
        assertThat(Amounts.percent(0, 1000)).isEqualTo("0");
        assertThat(Amounts.percent(1, 0)).isEqualTo("0");
    }
}
