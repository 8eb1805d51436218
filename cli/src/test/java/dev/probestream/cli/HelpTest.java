package dev.probestream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The help texts, from which man pages and completions are made. */
class HelpTest {
    private static final int COLUMNS = 80;
    private static final List<String> STANDARD = List.of("--help", "--version");
    /** All processes: refused by these, whose probes are in the program of a process. */
    private static final Set<String> WITHOUT_ALL = Set.of("http", "loop");

    static Stream<CommandSpec> commands() {
        return Commands.model().subcommands().values().stream().map(CommandLine::getCommandSpec);
    }

    @ParameterizedTest
    @MethodSource("commands")
    void theSynopsisNamesEveryOption(CommandSpec command) {
        String synopsis = new Help(command, Help.Ansi.OFF).synopsis(0);

        for (OptionSpec option : command.options()) {
            boolean isRefused = option.longestName().equals("--all") && WITHOUT_ALL.contains(command.name());
            if (!option.hidden() && !STANDARD.contains(option.longestName()) && !isRefused) {
                assertThat(Stream.of(option.names()).anyMatch(name -> names(synopsis, name)))
                        .as(option.longestName() + " is in: " + synopsis)
                        .isTrue();
            }
        }
    }

    /** -TUK names -T, -U and -K. */
    private static boolean names(String synopsis, String option) {
        String pattern = option.startsWith("--") ? option : "-[A-Za-z]*" + option.charAt(1) + "[A-Za-z]*";
        return synopsis.matches("(?s).*[\\s(\\[]" + pattern + "(?![\\w-]).*");
    }

    /** picocli breaks longer lines anywhere. */
    @ParameterizedTest
    @MethodSource("commands")
    void theSynopsisFitsATerminal(CommandSpec command) {
        Help help = new Help(command, Help.Ansi.OFF);

        assertThat((help.synopsisHeading() + help.synopsis(0)).lines())
                .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(COLUMNS));
    }

    @ParameterizedTest
    @MethodSource("commands")
    void everyOptionIsDescribedInSentences(CommandSpec command) {
        for (OptionSpec option : command.options()) {
            assertThat(option.description()).as(option.longestName()).isNotEmpty();
            assertThat(option.description()[0]).as(option.longestName()).matches("(?s)[A-Z].*[.:]");
        }
    }

    @Test
    void everyCommandSaysItsExitCodes() {
        assertThat(commands())
                .allSatisfy(command -> assertThat(
                                String.join("\n", command.usageMessage().footer()))
                        .as(command.name())
                        .contains("Exit codes: 0 "));
    }
}
