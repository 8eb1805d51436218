package dev.probestream.collector.internal.v8.heap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ProcessMemoryTest {
    /** Waits for a line, executes itself again, and prints a line each time. */
    private static final String PROGRAM = "echo ready; read line; exec sh -c 'echo again; read line'";

    @Test
    void memoryOfAnotherProgramOrProcessIsNotReadUnderTheSamePid() throws Exception {
        Process process = new ProcessBuilder("sh", "-c", PROGRAM).start();
        int pid = Math.toIntExact(process.pid());
        try (var output = process.inputReader(StandardCharsets.UTF_8)) {
            assertThat(output.readLine()).isEqualTo("ready");
            ProcessMemory before = ProcessMemory.open(pid);
            long start = firstMapping(pid);
            assertThat(before.read(start, ByteBuffer.allocate(8))).isTrue();
            assertThat(before.read(0, ByteBuffer.allocate(8)))
                    .as("the zero page")
                    .isFalse();
            assertThat(before.read(-8, ByteBuffer.allocate(8))).as("the kernel").isFalse();
            assertThat(before.read(Long.MAX_VALUE - 3, ByteBuffer.allocate(8))).isFalse();

            process.getOutputStream().write('\n');
            process.getOutputStream().flush();
            assertThat(output.readLine()).isEqualTo("again");
            assertThat(before.read(start, ByteBuffer.allocate(8))).isFalse();
            try (ProcessMemory after = ProcessMemory.open(pid)) {
                long newStart = firstMapping(pid);
                assertThat(after.read(newStart, ByteBuffer.allocate(8))).isTrue();
                process.destroyForcibly();
                process.waitFor();
                assertThat(after.read(newStart, ByteBuffer.allocate(8))).isFalse();
            }
            before.close();
            assertThat(before.read(start, ByteBuffer.allocate(8))).isFalse();
            assertThatThrownBy(() -> ProcessMemory.open(pid)).isInstanceOf(IOException.class);
        } finally {
            process.destroyForcibly();
        }
    }

    private static long firstMapping(int pid) throws IOException {
        try (var lines = Files.lines(Path.of("/proc/" + pid + "/maps"))) {
            return Long.parseLong(lines.findFirst().orElseThrow().split("-")[0], 16);
        }
    }
}
