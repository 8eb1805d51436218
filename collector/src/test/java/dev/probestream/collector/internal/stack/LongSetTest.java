package dev.probestream.collector.internal.stack;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class LongSetTest {
    @Test
    void holdsWhatWasAddedWhileItGrows() {
        LongSet set = new LongSet(1 << 16);
        Random random = new Random(1);
        long[] hashes = random.longs(30_000).toArray();
        for (long hash : hashes) {
            assertThat(set.contains(hash)).isFalse();
            set.add(hash);
            set.add(hash);
        }
        for (long hash : hashes) {
            assertThat(set.contains(hash)).isTrue();
        }
        assertThat(set.size()).isEqualTo(30_000);
        assertThat(set.contains(random.nextLong())).isFalse();
    }

    @Test
    void forgetsEverythingWhenItIsFull() {
        LongSet set = new LongSet(1 << 11);
        for (long hash = 1; hash <= 1024; hash++) {
            set.add(hash);
        }
        assertThat(set.contains(1)).isTrue();
        set.add(1025);

        assertThat(set.contains(1)).isFalse();
        assertThat(set.contains(1025)).isTrue();
        assertThat(set.size()).isEqualTo(1);
    }
}
