package dev.probestream.convert.request.plan;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WholeReadingsTest {
    private static final long SECOND_NS = 1_000_000_000;

    private final Times losses = new Times();
    private final WholeReadings readings = new WholeReadings(losses);

    @Test
    void bytesThatOneReadingHasShowThatNothingWasMissed() {
        readings.read(1, 7, 100, 100, 10);
        readings.read(1, 7, 180, 80, 20);
        readings.read(1, 7, 180, -1, 30);
        readings.read(1, 7, 300, 40, 40);

        assertThat(readings.isWhole(1, 7, 10, 30)).isTrue();
        assertThat(readings.isWhole(1, 7, 10, 40)).isFalse();
        assertThat(readings.isWhole(2, 7, 10, 30)).isFalse();
    }

    @Test
    void anotherConnectionUnderThePointerIsNotTheSame() {
        readings.read(1, 7, 100, 100, 10);
        readings.renew(1, 7);
        readings.read(1, 7, 200, 100, 20);

        assertThat(readings.isWhole(1, 7, 10, 20)).isFalse();
    }

    /** A server of a day whose clients make a connection for each request. */
    @Test
    void ofAnyNumberOfConnectionsOnlyTimesWithLossesAreKept() {
        losses.add(5 * SECOND_NS, 5 * SECOND_NS);
        for (int i = 0; i < 3 * WholeReadings.MAX_TIMES; i++) {
            long atNs = i * SECOND_NS;
            readings.renew(1, 7);
            readings.read(1, 7, 100, 100, atNs);
            readings.read(1, 7, 150, 50, atNs + SECOND_NS / 2);
            assertThat(readings.size()).isLessThanOrEqualTo(WholeReadings.MAX_TIMES);
        }

        assertThat(readings.isWhole(1, 7, 5 * SECOND_NS, 5 * SECOND_NS + 1)).isTrue();
        assertThat(readings.isWhole(1, 7, 6 * SECOND_NS, 6 * SECOND_NS + 1)).isFalse();
        long lastNs = (3L * WholeReadings.MAX_TIMES - 1) * SECOND_NS;
        assertThat(readings.isWhole(1, 7, lastNs, lastNs + 1)).isTrue();
    }

    @Test
    void whereEverythingIsLostNoMoreIsKeptThanHasRoom() {
        losses.add(0, Long.MAX_VALUE);
        for (int i = 0; i < 3 * WholeReadings.MAX_TIMES; i++) {
            readings.renew(1, i % 1000);
            readings.read(1, i % 1000, 100, 100, 10L * i);
            readings.read(1, i % 1000, 150, 50, 10L * i + 1);
        }

        assertThat(readings.size()).isLessThanOrEqualTo(WholeReadings.MAX_TIMES);
        assertThat(readings.isWhole(1, 0, 0, 1)).isTrue();
    }
}
