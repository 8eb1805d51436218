package dev.probestream.sink.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class OpenSegmentTest {
    private static final Rolling ROLLING =
            new Rolling(3, 100, Duration.ofSeconds(10), Duration.ofSeconds(4), Duration.ofSeconds(5));

    private final OpenSegment segment = new OpenSegment(7, 1, ROLLING);
    private long sequence = 40;

    private static long seconds(double seconds) {
        return (long) (seconds * TimeUnit.SECONDS.toNanos(1));
    }

    private void add(double deliverySeconds, int eventBytes) {
        long deliveryNs = seconds(deliverySeconds);
        segment.add(100 + sequence, 1_000 + sequence, sequence, deliveryNs - 1, deliveryNs, eventBytes);
        sequence++;
    }

    @Test
    void anEmptySegmentTakesAnything() {
        assertThat(segment.accepts(Long.MIN_VALUE, 1_000_000)).isTrue();
    }

    @Test
    void itIsFullWithItsLastEvent() {
        add(0, 10);
        add(0, 10);
        assertThat(segment.accepts(0, 10)).isTrue();
        add(0, 10);
        assertThat(segment.accepts(0, 10)).isFalse();
    }

    @Test
    void itIsFullBeforeTheByteThatIsTooMany() {
        add(0, 60);
        assertThat(segment.accepts(0, 40)).isTrue();
        assertThat(segment.accepts(0, 41)).isFalse();
    }

    @Test
    void itSpansLessThanItsLength() {
        add(0, 1);
        add(3, 1);
        assertThat(segment.accepts(seconds(6.9), 1)).isTrue();
        OpenSegment longer = new OpenSegment(
                7, 1, new Rolling(9, 100, Duration.ofSeconds(2), Duration.ofSeconds(4), Duration.ofSeconds(5)));
        longer.add(0, 0, 0, 0, 0, 1);
        assertThat(longer.accepts(seconds(2) - 1, 1)).isTrue();
        assertThat(longer.accepts(seconds(2), 1)).isFalse();
    }

    @Test
    void anEventAfterAGapBelongsInTheNext() {
        add(0, 1);
        assertThat(segment.accepts(seconds(4) - 1, 1)).isTrue();
        assertThat(segment.accepts(seconds(4), 1)).isFalse();
    }

    @Test
    void anEventFromBeforeTheFirstIsNoGap() {
        add(9, 1);
        assertThat(segment.accepts(0, 1)).isTrue();
    }

    @Test
    void aSpanIsDeliveredAtItsEndAndAnOpenOneAtItsStart() {
        assertThat(OpenSegment.deliveryNs(5, 3)).isEqualTo(8);
        assertThat(OpenSegment.deliveryNs(5, -1)).isEqualTo(5);
    }

    @Test
    void aClosedSegmentDescribesItsEvents() {
        add(3, 10);
        add(1, 20);

        assertThat(segment.close())
                .isEqualTo(new Segment(7, 1, 140, 141, 40, 41, 2, 30, seconds(1) - 1, seconds(3), 1_040, 1_041));
    }

    @Test
    void idleMustBeLongerThanTheGap() {
        assertThatThrownBy(() -> new Rolling(1, 1, Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(2)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void stackIdsAreKeptHoweverMany() {
        StackIds ids = new StackIds();
        ids.add(0);
        for (long id = -500; id <= 500; id++) {
            ids.add(id << 40);
        }

        assertThat(ids.count(id -> true)).isEqualTo(1_000);
        assertThat(ids.contains(-500L << 40)).isTrue();
        assertThat(ids.contains(501L << 40)).isFalse();
        assertThat(ids.contains(0)).isFalse();
    }
}
