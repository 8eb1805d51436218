package dev.probestream.bpf.map;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class MapSpecTest {
    @Test
    void ringBufferOfAnOddSizeIsRefused() {
        assertThatThrownBy(() -> MapSpec.ringBuffer("events", 5000))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("ring buffer events of 5000 bytes: the size must be a power of two");
    }

    @Test
    void mapWithoutNameOrEntriesIsRefused() {
        assertThatThrownBy(() -> MapSpec.array("", 8, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("needs a name");
        assertThatThrownBy(() -> MapSpec.array("counts", 8, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("0 entries");
    }
}
