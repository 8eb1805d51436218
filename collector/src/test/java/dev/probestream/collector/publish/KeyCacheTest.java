package dev.probestream.collector.publish;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class KeyCacheTest {
    @Test
    void aKeyIsWrittenOnce() {
        KeyCache keys = new KeyCache(7);

        assertThat(keys.key(42)).isSameAs(keys.key(42)).asString().isEqualTo("7/42");
    }

    @Test
    void pidsThatShareAPlaceKeepTheirOwnKeys() {
        KeyCache keys = new KeyCache(7);
        for (int round = 0; round < 2; round++) {
            for (int pid : new int[] {0, 1, 1024, 1025, 4_194_304, -1}) {
                assertThat(keys.key(pid)).asString().isEqualTo("7/" + pid);
            }
        }
    }
}
