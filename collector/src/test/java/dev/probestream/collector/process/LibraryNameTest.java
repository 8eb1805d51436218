package dev.probestream.collector.process;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LibraryNameTest {
    @Test
    void shortNameMeansAnyVersion() {
        assertThat(LibraryName.matches("libuv", "libuv.so.1.0.0")).isTrue();
        assertThat(LibraryName.matches("uv", "libuv.so.1.0.0")).isTrue();
        assertThat(LibraryName.matches("libuv.so", "libuv.so.1.0.0")).isTrue();
        assertThat(LibraryName.matches("libuv.so.1", "libuv.so.1.0.0")).isTrue();
        assertThat(LibraryName.matches("libc", "libc-2.31.so")).isTrue();
        assertThat(LibraryName.matches("c", "libc.so.6")).isTrue();
        assertThat(LibraryName.matches("node", "node")).isTrue();
    }

    @Test
    void shortNameIsNoPrefix() {
        assertThat(LibraryName.matches("libc", "libcrypto.so.3")).isFalse();
        assertThat(LibraryName.matches("c", "libcrypto.so.3")).isFalse();
        assertThat(LibraryName.matches("libuv.so.1", "libuv.so.10")).isFalse();
        assertThat(LibraryName.matches("libuv.so.2", "libuv.so.1.0.0")).isFalse();
        assertThat(LibraryName.matches("nod", "node")).isFalse();
        assertThat(LibraryName.matches("", "libc.so.6")).isFalse();
    }
}
