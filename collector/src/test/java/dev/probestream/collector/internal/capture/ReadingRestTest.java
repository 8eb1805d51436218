package dev.probestream.collector.internal.capture;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReadingRestTest {
    private static final long RING_BYTES = 16 << 20;
    private static final long MS = 1_000_000;

    @Test
    void aStreamIsReadAtTheLongestRestThatFits() {
        ReadingRest rest = new ReadingRest(RING_BYTES, 0);
        assertThat(rest.after(2_000, 20, 0, 5 * MS)).isEqualTo(ReadingRest.MAX_NS);
        assertThat(rest.after(2_000, 15, 0, 10 * MS)).isEqualTo(ReadingRest.IDLE_NS);
    }

    @Test
    void aRestLeavesTheRingMostlyEmpty() {
        for (long bytesPerMs : new long[] {1_000, 100_000, 1_000_000, 10_000_000}) {
            for (long ringBytes : new long[] {4096, 1 << 20, RING_BYTES}) {
                ReadingRest rest = new ReadingRest(ringBytes, 0);
                long nowNs = 0;
                long restNs = ReadingRest.MIN_NS;
                for (int reading = 0; reading < 20; reading++) {
                    nowNs += restNs;
                    restNs = rest.after(bytesPerMs * restNs / MS, 1_000, 0, nowNs);
                    assertThat(restNs).isBetween(ReadingRest.MIN_NS, ReadingRest.MAX_NS);
                    if (restNs > ReadingRest.MIN_NS) {
                        assertThat(bytesPerMs * restNs / MS).isLessThanOrEqualTo(ringBytes / 8 + bytesPerMs / MS + 1);
                    }
                }
            }
        }
    }

    @Test
    void anIdleStreamIsReadRarely() {
        ReadingRest rest = new ReadingRest(RING_BYTES, 0);
        assertThat(rest.after(0, 0, 0, 5 * MS)).isEqualTo(ReadingRest.IDLE_NS);
        assertThat(rest.after(100, 1, 0, 55 * MS)).isEqualTo(ReadingRest.IDLE_NS);
        assertThat(rest.after(10_000, 100, 0, 105 * MS)).isEqualTo(ReadingRest.MAX_NS);
    }

    @Test
    void stacksAreReadSoonAfterOneCame() {
        ReadingRest rest = new ReadingRest(RING_BYTES, 0);
        assertThat(rest.after(100, 1, 1, 100 * MS)).isEqualTo(ReadingRest.MAX_NS);
        assertThat(rest.after(0, 0, 1, 1_099 * MS)).isEqualTo(ReadingRest.MAX_NS);
        assertThat(rest.after(0, 0, 1, 1_100 * MS)).isEqualTo(ReadingRest.IDLE_NS);
    }

    @Test
    void aSmallRingIsNeverReadRarely() {
        assertThat(new ReadingRest(4096, 0).after(0, 0, 0, 5_000 * MS)).isEqualTo(ReadingRest.MAX_NS);
    }
}
