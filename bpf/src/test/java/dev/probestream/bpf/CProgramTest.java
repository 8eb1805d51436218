package dev.probestream.bpf;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CProgramTest {
    @TempDir
    Path folder;

    @Test
    void compiledFixtureAnswersLineByLineAndEndsInOrder() throws Exception {
        CProgram program = CProgram.compile(folder, "bpf/calls");
        try (CProgram.Running running = program.start()) {
            assertThat(running.ask("add 40 2")).isEqualTo("42");
            assertThat(running.ask("threads 2 100")).isEqualTo("200");
            assertThat(running.finish()).isZero();
        }
        assertThat(program.functionOffset("add")).isPositive();
    }
}
