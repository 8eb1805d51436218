package dev.probestream.collector.internal.event;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RingFillTest {
    private static final long SIZE_BYTES = 1 << 20;
    private static final long FULL_BYTES = SIZE_BYTES - RingFill.MAX_SAMPLE_BYTES + 1;

    private final RingFill fill = new RingFill(SIZE_BYTES, 1000);

    @Test
    void ringThatHadRoomWasNeverFull() {
        fill.look(2000, 0, FULL_BYTES - 1);
        fill.look(3000, FULL_BYTES - 1, 0);

        assertThat(fill.sinceNs()).isEmpty();
    }

    @Test
    void ringIsFullSinceTheLookBefore() {
        fill.look(2000, 0, 100);
        fill.look(3000, 100, 100);
        fill.look(4000, 200, FULL_BYTES);
        fill.look(5000, FULL_BYTES, 0);

        assertThat(fill.sinceNs()).hasValue(3000);
    }

    /** The programs may have filled it before the reader was through. */
    @Test
    void whatWasReadMeanwhileMayHaveFilledIt() {
        fill.look(2000, 0, 100);
        fill.look(3000, FULL_BYTES, 0);

        assertThat(fill.sinceNs()).hasValue(2000);
    }

    @Test
    void onceTheLossesAreCountedOnlyTheLastTimeIsLeft() {
        fill.look(2000, 0, FULL_BYTES);
        fill.look(3000, 0, FULL_BYTES);
        fill.counted(2900);
        assertThat(fill.sinceNs()).hasValue(2900);

        fill.look(4000, FULL_BYTES, 0);
        fill.look(5000, FULL_BYTES, 100);
        assertThat(fill.sinceNs()).hasValue(2900);
        fill.counted(4900);
        assertThat(fill.mayHaveBeenFull()).isFalse();
    }
}
