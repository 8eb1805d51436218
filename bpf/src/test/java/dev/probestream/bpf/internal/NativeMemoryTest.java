package dev.probestream.bpf.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class NativeMemoryTest {
    @Test
    void startsZeroed() {
        NativeMemory memory = NativeMemory.allocate(16);

        assertThat(memory.getLong(0)).isZero();
        assertThat(memory.getLong(8)).isZero();
    }

    @Test
    void stringsEndWithZeroAndAreCutToTheirField() {
        NativeMemory memory = NativeMemory.allocate(8).putLong(0, -1).putString(0, 4, "events");

        assertThat(memory.getString(0, 8)).isEqualTo("eve");
        assertThat(NativeMemory.ofString("abc").sizeBytes()).isEqualTo(4);
    }

    @Test
    void pointerHoldsTheAddressOfItsTarget() {
        NativeMemory target = NativeMemory.ofLongs(new long[] {7, 8});
        NativeMemory memory = NativeMemory.allocate(8).putPointer(0, target);

        assertThat(target.lend(address -> address)).isEqualTo(memory.getLong(0));
        assertThat(target.getLong(8)).isEqualTo(8);
    }

    @Test
    void writingPastTheEndIsRefused() {
        assertThatThrownBy(() -> NativeMemory.allocate(8).putLong(4, 0)).isInstanceOf(IndexOutOfBoundsException.class);
    }
}
