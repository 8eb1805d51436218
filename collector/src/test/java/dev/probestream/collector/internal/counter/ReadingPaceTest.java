package dev.probestream.collector.internal.counter;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReadingPaceTest {
    private static final long SECOND_NS = ReadingPace.EVERY_NS;

    private final ReadingPace pace = new ReadingPace();

    @Test
    void whatTheFirstReadingCostsSlowsNothing() {
        pace.taken(0, SECOND_NS);
        assertThat(pace.isDue(SECOND_NS)).isTrue();
        assertThat(pace.wasThinned()).isFalse();
    }

    @Test
    void readingsTakeAFiftiethOfTheTime() {
        pace.taken(0, 0);
        pace.taken(SECOND_NS, SECOND_NS / 10);
        assertThat(pace.isDue(5 * SECOND_NS)).isFalse();
        assertThat(pace.isDue(6 * SECOND_NS)).isTrue();
        assertThat(pace.wasThinned()).isTrue();
    }
}
