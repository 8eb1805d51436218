package dev.probestream.collector.internal.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.bpf.machine.ProcessWatch;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LaunchedCommandTest {
    @TempDir
    Path folder;

    @Test
    void nothingOfTheCommandRunsBeforeItsRelease() throws Exception {
        Path trace = folder.resolve("it ran");
        try (LaunchedCommand launched = piped("touch", trace.toString())) {
            assertThat(trace).doesNotExist();
            assertThat(launched.exitCode()).isEmpty();
            launched.release();

            assertThat(launched.await()).isZero();
            launched.release();
            assertThat(trace).exists();
            assertThat(launched.exitCode()).contains(0);
        }
    }

    /** The kernel reports the end some time before Java has the status. */
    @Test
    void theExitCodeIsKnownAsSoonAsTheCommandHasEnded() throws Exception {
        for (int i = 0; i < 100; i++) {
            try (LaunchedCommand launched = piped("true");
                    ProcessWatch watch = ProcessWatch.open(launched.pid())) {
                launched.release();
                while (!watch.hasExited()) {
                    Thread.onSpinWait();
                }
                assertThat(launched.exitCode()).contains(0);
            }
        }
    }

    @Test
    void pidIsTheCommandsOwn() throws Exception {
        try (LaunchedCommand launched = piped("sh", "-c", "echo $$")) {
            launched.release();

            assertThat(launched.process().inputReader().readLine()).isEqualTo(Integer.toString(launched.pid()));
        }
    }

    @Test
    void inputIsPassedOnWhole() throws Exception {
        try (LaunchedCommand launched = piped("cat")) {
            try (Writer input = launched.process().outputWriter()) {
                input.write("first line\nsecond line\n");
            }
            launched.release();

            assertThat(launched.process().inputReader().lines()).containsExactly("first line", "second line");
        }
    }

    @Test
    void argumentsArriveAsTheyWereGiven() throws Exception {
        try (LaunchedCommand launched = piped("printf", "%s|", "a b", "$HOME", "", "'\"")) {
            launched.release();

            assertThat(launched.process().inputReader().readLine()).isEqualTo("a b|$HOME||'\"|");
        }
    }

    @Test
    void exitCodeIsTheCommandsOrTellsTheSignal() throws Exception {
        try (LaunchedCommand failing = piped("sh", "-c", "exit 7");
                LaunchedCommand killed = piped("sh", "-c", "kill -KILL $$")) {
            failing.release();
            killed.release();

            assertThat(failing.await()).isEqualTo(7);
            assertThat(killed.await()).isEqualTo(128 + 9);
        }
    }

    @Test
    void commandThatWasNeverReleasedCanBeTerminated() throws Exception {
        Path trace = folder.resolve("it ran");
        try (LaunchedCommand launched = piped("touch", trace.toString())) {
            launched.terminate();

            assertThat(launched.await()).isEqualTo(128 + 15);
            assertThat(trace).doesNotExist();
        }
    }

    @Test
    void closingAsksWhatStillRunsToEnd() throws Exception {
        LaunchedCommand launched = piped("sleep", "600");
        launched.release();
        launched.close();

        assertThat(launched.exitCode()).contains(128 + 15);
    }

    @Test
    void closingKillsWhatWillNotEnd() throws Exception {
        LaunchedCommand launched = piped("sh", "-c", "trap '' TERM; echo deaf; while :; do sleep 1; done");
        launched.release();
        assertThat(launched.process().inputReader().readLine()).isEqualTo("deaf");
        launched.close();

        assertThat(launched.exitCode()).contains(128 + 9);
    }

    @Test
    void missingCommandIsNamedWithThePlacesThatWereSearched() {
        ProcessBuilder builder = new ProcessBuilder("nod");
        builder.environment().put("PATH", "/usr/bin:/bin");

        assertThatThrownBy(() -> LaunchedCommand.start(builder))
                .hasMessage("start 'nod': no such command in PATH (/usr/bin:/bin); give the path of its file");
        assertThatThrownBy(() -> LaunchedCommand.start(List.of("/no/such/node")))
                .hasMessage("start '/no/such/node': no such file");
        assertThatThrownBy(() -> LaunchedCommand.start(List.of())).hasMessage("start a command: the command is empty");
    }

    @Test
    void fileThatMayNotBeExecutedIsRefused() throws Exception {
        Path file = Files.writeString(folder.resolve("data"), "x");

        assertThatThrownBy(() -> LaunchedCommand.start(List.of(file.toString())))
                .hasMessage("start '" + file + "': not executable");
    }

    @Test
    void executableOfAScriptIsItsInterpreter() throws Exception {
        Path shell = Path.of("/bin/sh").toRealPath();
        Path direct = script("direct", "#!/bin/sh -e\necho hello\n");
        Path byEnv = script("by-env", "#! /usr/bin/env -S LANG=C sh\necho hello\n");
        Path byScript = script("by-script", "#!" + direct + "\n");

        for (Path script : List.of(direct, byEnv, byScript)) {
            assertThat(new CommandFile("/usr/bin:/bin").resolve(script.toString()))
                    .as(script.toString())
                    .isEqualTo(shell);
        }
        assertThat(new CommandFile("/usr/bin:/bin").resolve("sh")).isEqualTo(shell);
    }

    @Test
    void scriptsThatNameEachOtherAreGivenUp() throws Exception {
        Path first = folder.resolve("first");
        Path second = script("second", "#!" + first + "\n");
        script("first", "#!" + second + "\n");

        assertThatThrownBy(() -> new CommandFile("").resolve(first.toString()))
                .hasMessageContaining("more than 5 nested interpreters");
    }

    private static LaunchedCommand piped(String... command) throws Exception {
        return LaunchedCommand.start(new ProcessBuilder(command));
    }

    private Path script(String name, String text) throws Exception {
        Path file = Files.writeString(folder.resolve(name), text);
        assertThat(file.toFile().setExecutable(true)).isTrue();
        return file;
    }
}
