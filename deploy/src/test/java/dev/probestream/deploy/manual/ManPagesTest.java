package dev.probestream.deploy.manual;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.cli.Commands;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The pages of all commands, as two programs that are not ours read them. */
class ManPagesTest {
    @TempDir
    static Path folder;

    private static GeneratedManual manual;

    @BeforeAll
    static void generate() throws IOException {
        manual = GeneratedManual.in(folder);
    }

    @Test
    void everyCommandHasItsPage() throws IOException {
        Stream<String> commands =
                Commands.model().subcommands().keySet().stream().map(name -> "probestream-" + name + ".1");

        assertThat(manual.pages())
                .extracting(page -> page.getFileName().toString())
                .containsExactlyInAnyOrderElementsOf(
                        Stream.concat(Stream.of("probestream.1"), commands).toList());
    }

    @Test
    void groffHasNoWarnings() throws IOException, InterruptedException {
        Tool.require("groff");
        for (Path page : manual.pages()) {
            assertThat(Tool.output(folder, "groff", "-ww", "-man", "-Tutf8", "-z", page.toString()))
                    .isEmpty();
        }
    }

    @Test
    void mandocHasNoWarnings() throws IOException, InterruptedException {
        Tool.require("mandoc");
        for (Path page : manual.pages()) {
            assertThat(Tool.run(folder, 5, "mandoc", "-T", "lint", "-W", "warning", page.toString()))
                    .isEmpty();
        }
    }

    /** A name that was copied from the page must work: its hyphens and quotes are those of ASCII. */
    @Test
    void optionsAndExamplesAreLegibleAsTheyAreTyped() throws IOException, InterruptedException {
        Tool.require("groff");
        for (CommandSpec command : commands()) {
            String name = command.qualifiedName("-");
            String text = Tool.output(
                    folder,
                    "groff",
                    "-man",
                    "-Tutf8",
                    "-P-cbou",
                    folder.resolve("man1/" + name + ".1").toString());
            for (OptionSpec option : command.options()) {
                for (String spelling : option.names()) {
                    assertThat(text).as(name).containsPattern("(?m)^ {6}.* " + spelling + "($|[ ,])");
                }
            }
            for (String line : HelpText.lines(command.usageMessage().footer())) {
                if (line.startsWith("  sudo ./probestream " + command.name() + " ") && !line.contains("#")) {
                    assertThat(text).as(name).contains(line.replace("./", "").strip());
                }
            }
        }
    }

    private static List<CommandSpec> commands() {
        return Commands.model().subcommands().values().stream()
                .map(command -> command.getCommandSpec())
                .toList();
    }
}
