package dev.probestream.collector.internal.program;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.collector.internal.program.code.SchedPrograms;
import dev.probestream.collector.internal.program.code.SignalProgram;
import dev.probestream.collector.internal.program.layout.OffCpuLayout;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.TextRule;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The texts of the kernel's own probes are names of threads: a program may write a secret into its name. */
class ThreadNamesTest {
    static List<List<ArgumentSpec>> arguments() {
        return List.of(
                SchedPrograms.switchArguments(),
                SchedPrograms.wakingArguments(),
                OffCpuLayout.arguments(),
                SignalProgram.arguments());
    }

    @ParameterizedTest
    @MethodSource("arguments")
    void namesOfThreadsAreMaskedAsArguments(List<ArgumentSpec> arguments) {
        assertThat(arguments.stream().filter(argument -> argument.type().isText()))
                .isNotEmpty()
                .allSatisfy(name -> assertThat(name.textRule()).isEqualTo(TextRule.ARGUMENT));
    }
}
