package dev.probestream.bench.healthy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class CpuTimesTest {
    @Test
    void waitsForDisksAreIdleAndGuestsCountOnce() {
        CpuTimes times = CpuTimes.parse("cpu  100 10 20 300 40 5 6 7 90 9");

        assertThat(times).isEqualTo(new CpuTimes(340, 488));
    }

    @Test
    void shareIsOfTheTimeBetweenTwoReadings() {
        CpuTimes before = new CpuTimes(1000, 5000);

        assertThat(new CpuTimes(1150, 5200).idleShareSince(before)).isEqualTo(0.75);
    }
}
