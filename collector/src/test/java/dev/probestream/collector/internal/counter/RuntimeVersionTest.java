package dev.probestream.collector.internal.counter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.elf.ElfFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class RuntimeVersionTest {
    private static final String NODES = "dev.probestream.collector.internal.v8.NodeExecutables#all";

    @ParameterizedTest
    @MethodSource(NODES)
    void theExecutableHasTheVersionThatNodePrints(Path node) throws Exception {
        Process printing = new ProcessBuilder(node.toString(), "--version").start();
        String printed = new String(printing.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();

        try (ElfFile elf = ElfFile.open(node)) {
            assertThat(RuntimeVersion.read(elf)
                            .map(version -> version.toString().replace("Node.js ", "v")))
                    .contains(printed);
        }
        assertThat(printing.waitFor()).isZero();
    }

    @Test
    void anotherProgramHasNone() throws Exception {
        try (ElfFile elf = ElfFile.open(Path.of("/proc/self/exe"))) {
            assertThat(RuntimeVersion.read(elf)).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({"20,20,2,Node.js 20.20.2", "0,0,0,", "20,-1,2,", "20,20,1000,", "-20,20,2,", "1819043176,20,2,"})
    void wordsOfNoVersionAreNone(int major, int minor, int patch, String version) {
        ByteBuffer bytes = ByteBuffer.allocate(12).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putInt(major).putInt(minor).putInt(patch).flip();

        assertThat(RuntimeVersion.parse(bytes).map(RuntimeVersion::toString).orElse(null))
                .isEqualTo(version);
    }

    @Test
    void tooFewBytesAreNone() {
        assertThat(RuntimeVersion.parse(ByteBuffer.wrap(new byte[11]))).isEmpty();
    }
}
