package dev.probestream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.terminal.Version;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/** What the start leaves out changes no text, and a command loads the classes of no other. */
class StartTest {
    private static final String OURS = "dev.probestream.";

    @TempDir
    private Path folder;

    private final Failures failures = new Failures(Path.of("unused"));

    @Test
    void theHelpForAPipeIsThatOfPicocli() {
        assertThat(RootHelp.text()).isEqualTo(Commands.commandLine(failures).getUsageMessage(Ansi.OFF));
    }

    @Test
    void theVersionIsThatOfPicocli() {
        StringWriter printed = new StringWriter();
        Commands.commandLine(failures).printVersionHelp(new PrintWriter(printed), Ansi.OFF);

        assertThat(Version.text()).isEqualTo(printed.toString());
    }

    @ParameterizedTest
    @EnumSource
    void aCommandHasTheNameOfItsClass(CommandName name) {
        assertThat(new CommandLine(name.type()).getCommandName()).isEqualTo(name.spelling());
    }

    @ParameterizedTest
    @EnumSource
    void theHelpOfACommandIsTheSameWithoutTheOthers(CommandName name) {
        assertThat(help(Commands.commandLine(failures, name.spelling(), "--help"), name))
                .isEqualTo(help(Commands.commandLine(failures), name));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--nonsense", "nonsense", "--help record"})
    void theHelpOfTheRootIsTheSameWithoutTheOthers(String arguments) {
        CommandLine some = Commands.commandLine(failures, arguments.isEmpty() ? new String[0] : arguments.split(" "));

        assertThat(some.getUsageMessage(Ansi.OFF))
                .isEqualTo(Commands.commandLine(failures).getUsageMessage(Ansi.OFF));
    }

    @Test
    void aFileOfArgumentsMayNameAnyCommand() {
        CommandLine all = Commands.commandLine(failures, "@arguments");

        assertThat(all.getSubcommands().values())
                .allSatisfy(command -> assertThat(command.getCommandSpec().findOption("--help"))
                        .isNotNull());
    }

    @ParameterizedTest
    @ValueSource(strings = {"--version", "--help"})
    void anAnswerOfTheRootLoadsNoLibrary(String option) throws IOException, InterruptedException {
        assertThat(loaded(option))
                .allMatch(
                        name -> name.startsWith(OURS + "cli.") || name.equals("picocli.CommandLine$IVersionProvider"));
    }

    @Test
    void aCommandLoadsTheClassesOfNoOther() throws IOException, InterruptedException {
        List<String> loaded = loaded("convert", "--help");

        assertThat(loaded).contains(OURS + "cli.convert.ConvertCommand");
        for (CommandName name : CommandName.values()) {
            if (name != CommandName.CONVERT) {
                assertThat(loaded).noneMatch(type -> type.startsWith(OURS + "cli." + name.spelling() + "."));
            }
        }
        assertThat(loaded).noneMatch(type -> type.startsWith("org.apache.kafka.") || type.startsWith("org.duckdb."));
    }

    /** The classes that the command line loads, without those of the JDK. */
    private List<String> loaded(String... arguments) throws IOException, InterruptedException {
        Path log = folder.resolve("classes.txt");
        assertThat(CommandRun.loggingClasses(log, arguments).end()).isZero();
        return Files.readAllLines(log).stream()
                .filter(line -> line.contains(" source: file:"))
                .map(line -> line.substring(0, line.indexOf(' ')))
                .toList();
    }

    private static String help(CommandLine commandLine, CommandName name) {
        CommandLine command =
                Objects.requireNonNull(commandLine.getSubcommands().get(name.spelling()));
        return command.getUsageMessage(Ansi.OFF);
    }
}
