package dev.probestream.convert.request.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TimesTest {
    private static final int RANGE = 400;

    /** Each moment is a bit at an even place, and what lies between two of them at an odd one. */
    @Test
    void timesAreAsTheMomentsInThem() {
        Random random = new Random(7);
        for (int round = 0; round < 200; round++) {
            Times times = new Times();
            BitSet moments = new BitSet();
            for (int i = 0; i < 40; i++) {
                int from = random.nextInt(RANGE);
                int to = from + random.nextInt(12);
                times.add(from, to);
                moments.set(2 * from, 2 * to + 1);
                int askedFrom = random.nextInt(RANGE);
                int askedTo = askedFrom + random.nextInt(30);
                BitSet asked = new BitSet();
                asked.set(2 * askedFrom, 2 * askedTo + 1);
                assertThat(times.areAny(askedFrom, askedTo)).isEqualTo(moments.intersects(asked));
                asked.andNot(moments);
                assertThat(times.covers(askedFrom, askedTo)).isEqualTo(asked.isEmpty());
            }
        }
    }

    @Test
    void onlyTheOthersAreLeft() {
        Times times = new Times();
        for (int i = 0; i < 10; i++) {
            times.add(10L * i, 10L * i + 5);
        }

        times.removeIf((fromNs, toNs) -> fromNs % 20 == 0);

        assertThat(times.size()).isEqualTo(5);
        assertThat(times.areAny(20, 25)).isFalse();
        assertThat(times.covers(31, 34)).isTrue();
    }

    @Test
    void beyondTheLimitTheEarliestAreJoined() {
        Times times = new Times();
        for (int i = 0; i < 110; i++) {
            times.add(10L * i, 10L * i + 5);
            times.joinBeyond(100);
        }

        assertThat(times.size()).isEqualTo(100);
        assertThat(times.covers(0, 105)).isTrue();
        assertThat(times.covers(0, 115)).isFalse();
    }
}
