package dev.probestream.collector.internal.process;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ProbedFileTest {
    @Test
    void shortNameMeansAnyVersion() {
        assertThat(ProbedFile.isNamed("libuv", "libuv.so.1.0.0")).isTrue();
        assertThat(ProbedFile.isNamed("uv", "libuv.so.1.0.0")).isTrue();
        assertThat(ProbedFile.isNamed("libuv.so", "libuv.so.1.0.0")).isTrue();
        assertThat(ProbedFile.isNamed("libuv.so.1", "libuv.so.1.0.0")).isTrue();
        assertThat(ProbedFile.isNamed("libc", "libc-2.31.so")).isTrue();
        assertThat(ProbedFile.isNamed("c", "libc.so.6")).isTrue();
        assertThat(ProbedFile.isNamed("node", "node")).isTrue();
    }

    @Test
    void shortNameIsNoPrefix() {
        assertThat(ProbedFile.isNamed("libc", "libcrypto.so.3")).isFalse();
        assertThat(ProbedFile.isNamed("c", "libcrypto.so.3")).isFalse();
        assertThat(ProbedFile.isNamed("libuv.so.1", "libuv.so.10")).isFalse();
        assertThat(ProbedFile.isNamed("libuv.so.2", "libuv.so.1.0.0")).isFalse();
        assertThat(ProbedFile.isNamed("nod", "node")).isFalse();
        assertThat(ProbedFile.isNamed("", "libc.so.6")).isFalse();
    }
}
