package dev.probestream.bpf;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class KernelTestConditionTest {
    @Test
    void versionsCompareAsNumbersNotAsText() {
        assertThat(KernelTestCondition.isOlder("5.4.0-42-generic", "5.15")).isTrue();
        assertThat(KernelTestCondition.isOlder("6.18.44-fc-v595", "6.6")).isFalse();
        assertThat(KernelTestCondition.isOlder("6.6.0", "6.6")).isFalse();
        assertThat(KernelTestCondition.isOlder("4.19.0", "5.8")).isTrue();
    }
}
