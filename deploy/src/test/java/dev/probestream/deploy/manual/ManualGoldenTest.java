package dev.probestream.deploy.manual;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The files of a small program that has what our commands have; with {@code -Dgoldens=write} they are written. */
class ManualGoldenTest {
    private static final Path FOLDER = Path.of("src/test/resources/goldens");

    enum Shape {
        ROUND,
        FLAT
    }

    @Command(
            name = "sample",
            mixinStandardHelpOptions = true,
            subcommands = Cut.class,
            synopsisSubcommandLabel = "COMMAND",
            header = "Does what samples do.",
            description = {"", "Has one command.", ""},
            footer = {"", "Exit codes: 0 success, 1 failure.", "", "Try:", "  ./sample cut x   cuts x"})
    static final class Sample {}

    @Command(
            name = "cut",
            sortOptions = false,
            header = "Cuts files: all of them.",
            customSynopsis = {"sample cut [-s SHAPE] FILE...", "           [-o DIR]", "       sample cut --all"},
            description = {"", "First 'cut --help'. Uses --output and FILE, in \\n and ~.", "", "Second%nline.", ""},
            footer = {
                "",
                "Rows:",
                "  one    the first",
                "         continued",
                "  .two   the second",
                "",
                "--json: {a: 1}.",
                "",
                "SAMPLE_LOG=x shows the log.",
                "",
                "Exit codes: 0 done; 2 wrong usage.",
                "",
                "Examples:",
                "  ./sample cut 'a b' \\",
                "      \"c\"   # 100 %%"
            })
    @SuppressWarnings("unused") // picocli reads the fields
    static final class Cut {
        @Option(
                names = {"-s", "--shape"},
                paramLabel = "SHAPE",
                description = {"The shape:", "round   with 'no' corners [at all]", "flat   without height: none"})
        private Shape shape;

        @Option(
                names = {"-o", "--output"},
                paramLabel = "DIR",
                defaultValue = ".",
                description = "Where to; it's created. Default: ${DEFAULT-VALUE}.")
        private Path output;

        @Option(names = "-p", split = ",", paramLabel = "PID", description = "A process.")
        private List<Integer> pids = new ArrayList<>();

        @Option(names = "--all", description = "Everything.")
        private boolean all;

        @Parameters(paramLabel = "FILE", description = "The files.")
        private List<Path> files = new ArrayList<>();
    }

    @Test
    void everyFileIsAsItWas() throws IOException {
        Map<String, String> files =
                new Manual("1.2.3", LocalDate.of(2026, 11, 21)).files(new CommandLine(new Sample()).getCommandSpec());

        assertThat(files.keySet())
                .containsExactly(
                        "completions/_sample",
                        "completions/sample.bash",
                        "completions/sample.fish",
                        "man1/sample-cut.1",
                        "man1/sample.1");
        for (Map.Entry<String, String> file : files.entrySet()) {
            Path golden = FOLDER.resolve(Path.of(file.getKey()).getFileName());
            if ("write".equals(System.getProperty("goldens"))) {
                Files.writeString(golden, file.getValue());
            }
            assertThat(file.getValue()).isEqualTo(Files.readString(golden));
        }
    }
}
