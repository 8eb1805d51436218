package dev.probestream.schema.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class TopicsTest {
    /** A capture that began under one version must go on in its partition under the next. */
    @Test
    void namesBeginWithThePrefix() {
        assertThat(Topics.ofPrefix("team-a.trace"))
                .isEqualTo(new Topics("team-a.trace.events", "team-a.trace.metadata"));
        assertThat(Topics.ofPrefix(Topics.PREFIX)).isEqualTo(Topics.DEFAULT);
    }

    @Test
    void thePartitionOfACaptureNeverChanges() {
        assertThat(Topics.partition(0, 6)).isZero();
        assertThat(Topics.partition(1, 6)).isEqualTo(2);
        assertThat(Topics.partition(7, 6)).isEqualTo(1);
        assertThat(Topics.partition(4_711_000_000_000L, 6)).isEqualTo(1);
        assertThat(Topics.partition(Long.MAX_VALUE, 6)).isEqualTo(4);
        assertThat(Topics.partition(Long.MAX_VALUE, 1)).isZero();
    }

    @Test
    void capturesSpreadOverThePartitions() {
        SplittableRandom random = new SplittableRandom(3);
        int[] random64 = new int[6];
        int[] consecutive = new int[6];
        for (int i = 0; i < 6_000; i++) {
            random64[Topics.partition(random.nextLong() & Long.MAX_VALUE, 6)]++;
            consecutive[Topics.partition(i, 6)]++;
        }
        assertThat(Arrays.stream(random64))
                .allSatisfy(count -> assertThat(count).isBetween(850, 1150));
        assertThat(Arrays.stream(consecutive))
                .allSatisfy(count -> assertThat(count).isBetween(850, 1150));
    }

    @Test
    void aTopicWithoutPartitionsIsRefused() {
        assertThatThrownBy(() -> Topics.partition(7, 0)).isInstanceOf(IllegalArgumentException.class);
    }
}
