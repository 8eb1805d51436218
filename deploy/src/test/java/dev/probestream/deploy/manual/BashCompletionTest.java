package dev.probestream.deploy.manual;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.collector.probe.preset.ProbeSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The completion in a real bash: as readline calls it, and typed at a prompt. */
class BashCompletionTest {
    /** Splits the line as readline does at '=', calls the function and prints what it offers. */
    private static final String CALL = """
        source "$1"
        COMP_LINE=$2
        COMP_WORDS=()
        for word in $COMP_LINE; do
          [[ $word != *=* ]] || COMP_WORDS+=("${word%%=*}" =)
          COMP_WORDS+=("${word#*=}")
        done
        [[ $COMP_LINE != *' ' ]] || COMP_WORDS+=('')
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _probestream
        printf '%s\\n' "${COMPREPLY[@]}"
        """;

    @TempDir
    static Path folder;

    private static GeneratedManual manual;

    @BeforeAll
    static void generate() throws IOException {
        Tool.require("bash");
        manual = GeneratedManual.in(folder);
        Files.writeString(folder.resolve("call"), CALL);
    }

    @Test
    void commandsComplete() throws IOException, InterruptedException {
        assertThat(completed("probestream rec")).containsExactly("record");
        assertThat(completed("probestream ")).contains("demo", "record", "doctor");
    }

    @Test
    void optionsAreThoseOfTheCommand() throws IOException, InterruptedException {
        assertThat(completed("probestream record --show-"))
                .containsExactly("--show-query", "--show-paths", "--show-args");
        assertThat(completed("probestream --versi")).containsExactly("--version");
        assertThat(completed("probestream convert x --show-")).isEmpty();
    }

    @Test
    void valuesOfAFixedListComplete() throws IOException, InterruptedException {
        assertThat(completed("probestream query x --format ")).containsExactly("table", "csv", "json", "parquet");
        assertThat(completed("probestream query x --format=c")).containsExactly("csv");
        assertThat(completed("probestream query x --view slow")).containsExactly("slowest-requests");
        assertThat(completed("probestream sink p")).containsExactly("perfetto", "parquet");
        assertThat(completed("probestream record --probes ")).containsAll(ProbeSet.names());
    }

    @Test
    void aListContinuesBehindTheComma() throws IOException, InterruptedException {
        assertThat(completed("probestream record --probes=sched,node-g")).containsExactly("sched,node-gc");
        assertThat(completed("probestream record --probes node-gc,node-g")).isEmpty();
    }

    @Test
    void runningProcessesComplete() throws IOException, InterruptedException {
        String self = String.valueOf(ProcessHandle.current().pid());

        assertThat(completed("probestream record -p " + self)).contains(self);
        assertThat(completed("probestream record --comm ba")).contains("bash");
    }

    @Test
    void wordsOfTheStartedProgramAreNotOurs() throws IOException, InterruptedException {
        assertThat(completed("probestream record -p 1 -- bas")).contains("bash").doesNotContain("--all");
        assertThat(completed("probestream record -o x node --show-")).isEmpty();
        assertThat(completed("probestream trace a:b --show-")).containsExactly("--show-args");
    }

    @Test
    void atAPromptPathsCompleteWithTheirQuotes() throws IOException, InterruptedException {
        Tool.require("script");
        Files.writeString(folder.resolve("a recording.avro"), "");
        Files.createDirectories(folder.resolve("tables-of-today"));
        try (TypedShell shell = TypedShell.start(folder, "bash --norc --noprofile -i")) {
            shell.run("source " + manual.completion("probestream.bash"));
            shell.run("probestream() { printf '<%s>' \"$@\"; echo; }");

            assertThat(shell.run("probestream conv\ta\\ rec\t-o tab\t"))
                    .contains("<convert><a recording.avro><-o><tables-of-today/>");
            assertThat(shell.run("probestream record --probes=inci\t")).contains("<record><--probes=incident>");
            assertThat(shell.run("probestream record -p 1 -- printen\t-0")).contains("<--><printenv><-0>");
        }
    }

    private static List<String> completed(String line) throws IOException, InterruptedException {
        return Tool.output(
                        folder,
                        "bash",
                        "--norc",
                        "call",
                        manual.completion("probestream.bash").toString(),
                        line)
                .lines()
                .filter(candidate -> !candidate.isBlank() && !candidate.contains("compopt: not currently executing"))
                .toList();
    }
}
