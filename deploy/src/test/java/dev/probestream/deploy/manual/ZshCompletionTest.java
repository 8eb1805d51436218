package dev.probestream.deploy.manual;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The completion in a real zsh, typed at a prompt. */
class ZshCompletionTest {
    @TempDir
    static Path folder;

    private static GeneratedManual manual;
    private static TypedShell shell;

    @BeforeAll
    static void start() throws IOException, InterruptedException {
        Tool.require("zsh", "script");
        manual = GeneratedManual.in(folder);
        Files.writeString(folder.resolve("recording.avro"), "");
        Files.createDirectories(folder.resolve("tables-of-today"));
        shell = TypedShell.start(folder, "zsh -f -i");
        shell.run("PS1= RPS1= PROMPT_EOL_MARK=; unsetopt zle_bracketed_paste 2>/dev/null; LISTMAX=10000");
        shell.run("fpath=(" + folder.resolve("completions") + " $fpath); autoload -U compinit; compinit -u -D");
        shell.run("zstyle ':completion:*' verbose yes");
        shell.run("probestream() { printf '<%s>' \"$@\"; echo; }");
    }

    @AfterAll
    static void end() throws IOException {
        if (shell != null) {
            shell.close();
        }
    }

    @Test
    void theScriptHasNoSyntaxError() throws IOException, InterruptedException {
        assertThat(Tool.output(
                        folder, "zsh", "-n", manual.completion("_probestream").toString()))
                .isEmpty();
    }

    @Test
    void commandsOptionsAndValuesComplete() throws IOException, InterruptedException {
        assertThat(shell.run("probestream rec\t--show-q\t")).contains("<record><--show-query>");
        assertThat(shell.run("probestream query x --form\tcs\t")).contains("<query><x><--format=csv>");
        assertThat(shell.run("probestream query x --view slow\t")).contains("<--view><slowest-requests>");
        assertThat(shell.run("probestream sink perf\t")).contains("<sink><perfetto>");
        assertThat(shell.run("probestream record --probes sched,node-g\t")).contains("<--probes><sched,node-gc>");
    }

    @Test
    void pathsComplete() throws IOException, InterruptedException {
        // zsh takes the slash away when the line ends.
        assertThat(shell.run("probestream convert reco\t-o tab\t"))
                .contains("<convert><recording.avro><-o><tables-of-today>");
    }

    @Test
    void runningProcessesComplete() throws IOException, InterruptedException {
        assertThat(shell.run("probestream record --comm zs\t")).contains("<--comm><zsh>");
        String self = String.valueOf(ProcessHandle.current().pid());
        assertThat(shell.run("probestream record -p " + self + "\t")).contains("<-p><" + self);
    }

    @Test
    void theProgramBehindDashesIsCompletedAsItself() throws IOException, InterruptedException {
        assertThat(shell.run("probestream record -o x -- printen\t-0")).contains("<--><printenv><-0>");
        assertThat(shell.run("probestream trace a:b -- printen\t-0")).contains("<a:b><--><printenv><-0>");
    }

    @Test
    void optionsAreListedWithTheirPurpose() throws IOException, InterruptedException {
        assertThat(shell.run("probestream record --show-\t\t"))
                .contains("Record command lines unchanged")
                .contains("Record the URLs of requests and the text of SQL unchanged");
    }
}
