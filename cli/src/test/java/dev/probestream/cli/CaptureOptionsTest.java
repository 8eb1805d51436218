package dev.probestream.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/** The options that select processes, limit the time and choose JSON are the same in all commands that capture. */
class CaptureOptionsTest {
    private static final List<String> CAPTURING = List.of("record", "collect", "trace", "hist", "http", "loop");

    private final CommandLine commandLine = Commands.commandLine(new Failures(Path.of("unused")));

    @ParameterizedTest
    @ValueSource(strings = {"-p", "--comm", "--cgroup", "--all", "--follow", "--for", "--json"})
    void eachCommandHasTheOptionOfTheOthers(String name) {
        OptionSpec first = option("record", name);

        for (String command : CAPTURING) {
            OptionSpec option = option(command, name);
            assertThat(option.names()).as(command).isEqualTo(first.names());
            assertThat(option.description()).as(command).isEqualTo(first.description());
            assertThat(option.paramLabel()).as(command).isEqualTo(first.paramLabel());
            assertThat(option.userObject().getClass())
                    .as(command)
                    .isEqualTo(first.userObject().getClass());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"-i", "-n"})
    void histAndLoopHaveTheSameIntervals(String name) {
        assertThat(option("hist", name).description())
                .isEqualTo(option("loop", name).description());
    }

    @ParameterizedTest
    @ValueSource(strings = {"2", "2s", "0.5", "500ms", "1m"})
    void anIntervalIsADurationOrANumberOfSeconds(String interval) {
        for (String command : List.of("hist", "loop")) {
            commandLine.parseArgs(command, "-p", "1", "-i", interval);
        }
    }

    @Test
    void otherDurationsNeedAUnit() {
        for (String command : CAPTURING) {
            assertThatThrownBy(() -> commandLine.parseArgs(command, "-p", "1", "--for", "10"))
                    .isInstanceOf(ParameterException.class)
                    .hasMessageContaining("invalid duration '10': expected a number and a unit");
        }
    }

    private OptionSpec option(String command, String name) {
        CommandLine subcommand =
                Objects.requireNonNull(commandLine.getSubcommands().get(command));
        OptionSpec option = subcommand.getCommandSpec().findOption(name);
        assertThat(option).as("%s %s", command, name).isNotNull();
        return Objects.requireNonNull(option);
    }
}
