package dev.probestream.deploy.manual;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The completion in a real fish, as its 'complete -C' prints it: the word, a tab and its purpose. */
class FishCompletionTest {
    @TempDir
    static Path folder;

    private static GeneratedManual manual;

    @BeforeAll
    static void generate() throws IOException {
        Tool.require("fish");
        manual = GeneratedManual.in(folder);
        Files.writeString(folder.resolve("recording.avro"), "");
        Files.createDirectories(folder.resolve("tables-of-today"));
    }

    @Test
    void commandsAndOptionsComplete() throws IOException, InterruptedException {
        assertThat(completed("probestream rec"))
                .containsExactly("record\tRecords the hits of probes on processes and the kernel");
        assertThat(words("probestream record --show-"))
                .containsExactlyInAnyOrder("--show-query", "--show-paths", "--show-args");
        assertThat(words("probestream convert x --show-")).isEmpty();
    }

    @Test
    void valuesOfAFixedListComplete() throws IOException, InterruptedException {
        assertThat(words("probestream query x --format ")).containsExactlyInAnyOrder("table", "csv", "json", "parquet");
        assertThat(words("probestream query x --view slow")).containsExactly("slowest-requests");
        assertThat(words("probestream sink p")).containsExactlyInAnyOrder("perfetto", "parquet");
        assertThat(words("probestream record --probes sched,node-g")).containsExactly("sched,node-gc");
        assertThat(words("probestream record --probes=node-g")).containsExactly("--probes=node-gc");
    }

    @Test
    void pathsAndProcessesComplete() throws IOException, InterruptedException {
        String self = String.valueOf(ProcessHandle.current().pid());

        assertThat(words("probestream convert reco")).containsExactly("recording.avro");
        assertThat(words("probestream sink parquet -o "))
                .contains("tables-of-today/")
                .doesNotContain("recording.avro");
        assertThat(words("probestream record -p " + self)).contains(self);
        assertThat(words("probestream record --comm fis")).contains("fish");
    }

    @Test
    void theProgramBehindDashesIsCompletedAsItself() throws IOException, InterruptedException {
        assertThat(words("probestream record -o x -- printen")).contains("printenv");
        assertThat(words("probestream record -o x -- ls --show-")).doesNotContain("--show-query");
    }

    private static List<String> words(String line) throws IOException, InterruptedException {
        return completed(line).stream()
                .map(candidate -> candidate.split("\t", 2)[0])
                .toList();
    }

    private static List<String> completed(String line) throws IOException, InterruptedException {
        String script = "source $argv[1]; complete -C $argv[2]";
        return Tool.output(
                        folder,
                        "fish",
                        "--no-config",
                        "-c",
                        script,
                        manual.completion("probestream.fish").toString(),
                        line)
                .lines()
                .toList();
    }
}
