package dev.probestream.collector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.KernelTest;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.request.TargetSelection;
import java.io.BufferedReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** USDT probes in time: semaphores that go up and down, libraries that come late, files that are not where they were. */
@KernelTest(since = "6.6")
class UsdtLifeTest {
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(60);

    @TempDir
    static Path folder;

    private static CProgram watched;

    @BeforeAll
    static void compile() throws Exception {
        watched = CProgram.compile(folder, "usdt/watched", "-ldl");
    }

    @Test
    void semaphoreIsRaisedWhileWatchedAndLoweredAfterwards() throws Exception {
        try (CProgram.Running program = watched.start()) {
            assertThat(program.ask("sem")).isEqualTo("0");
            assertThat(program.ask("hit")).isEqualTo("skipped");

            Recorded recorded = SmallRecording.ofProcess(
                            folder,
                            program.pid(),
                            () -> {
                                assertThat(program.ask("sem")).isEqualTo("1");
                                assertThat(program.ask("hit")).isEqualTo("passed");
                            },
                            "usdt:watched:step")
                    .recorded();

            assertThat(program.ask("sem")).isEqualTo("0");
            assertThat(program.ask("hit")).isEqualTo("skipped");
            assertThat(recorded.events).extracting(Recorded.Kept::numbers).containsExactly(List.of(42L));
        }
    }

    @Test
    void semaphoreIsLoweredWhenTheCollectorIsKilled() throws Exception {
        try (CProgram.Running program = watched.start()) {
            Process collector = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-cp",
                            System.getProperty("java.class.path"),
                            KilledCollector.class.getName(),
                            Files.createTempDirectory(folder, "killed").toString(),
                            Integer.toString(program.pid()),
                            "usdt:watched:step")
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            try {
                await(program, "sem", "1");
            } finally {
                collector.destroyForcibly().waitFor();
            }
            await(program, "sem", "0");
            assertThat(program.ask("hit")).isEqualTo("skipped");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"load", "unlink", "memfd"})
    void librariesThatComeLateAreProbedWhereverTheirFileIs(String how) throws Exception {
        CProgram library = CProgram.compile(Files.createTempDirectory(folder, how), "usdt/late", "-shared", "-fPIC");
        try (CProgram.Running program = watched.start()) {
            SmallRecording recording = SmallRecording.ofProcess(
                    folder,
                    program.pid(),
                    () -> {
                        assertThat(program.ask("hit")).isEqualTo("passed");
                        assertThat(program.ask(how + " " + library.executable()))
                                .isEqualTo("loaded");
                        await(program, "watched", "3");
                        assertThat(program.ask("call -7")).isEqualTo("done");
                    },
                    "usdt:?at*:*");

            assertThat(recording.notices())
                    .allMatch(notice -> notice.matches(
                            "late:(hit|other) was attached \\d+\\.\\d ms after .* was mapped; hits in between"
                                    + " may be missing"));
            assertThat(recording.recorded().of("watched:step")).hasSize(1);
            assertThat(recording.recorded().of("late:hit"))
                    .extracting(Recorded.Kept::numbers)
                    .containsExactly(List.of(-7L));
            assertThat(recording.recorded().of("late:other"))
                    .extracting(Recorded.Kept::numbers)
                    .containsExactly(List.of(-7L));
        }
    }

    @Test
    void librariesMappedAlreadyAreProbedAlsoWhenTheirFileIsGone() throws Exception {
        for (String how : List.of("load", "unlink", "memfd")) {
            CProgram library =
                    CProgram.compile(Files.createTempDirectory(folder, how), "usdt/late", "-shared", "-fPIC");
            try (CProgram.Running program = watched.start()) {
                assertThat(program.ask(how + " " + library.executable())).isEqualTo("loaded");
                Recorded recorded = SmallRecording.ofProcess(
                                folder, program.pid(), () -> program.ask("call 9"), "u:late:hit (a=arg1)")
                        .recorded();
                assertThat(recorded.events)
                        .as(how)
                        .extracting(Recorded.Kept::numbers)
                        .containsExactly(List.of(9L));
            }
        }
    }

    @Test
    void probeThatNobodyHasYetIsAwaitedWhereProcessesMayCome() throws Exception {
        Path own = Files.createTempDirectory(folder, "comm");
        Path renamed = Files.copy(watched.executable(), own.resolve("usdt-awaited"));
        CProgram library = CProgram.compile(own, "usdt/late", "-shared", "-fPIC");
        try (CProgram.Running program = new CProgram(renamed).start()) {
            assertThat(program.ask("sem")).isEqualTo("0");
            assertThat(SmallRecording.ofProcess(own, program.pid(), () -> {}, "usdt:late:hit")
                            .notices())
                    .anySatisfy(notice -> assertThat(notice).startsWith("usdt:late:hit is in no file"))
                    .contains("attached nowhere, because the target mapped no file with usdt:late:hit");
            assertThatThrownBy(() -> SmallRecording.ofProcess(own, program.pid(), () -> {}, "usdt:watched:misspelled"))
                    .isInstanceOf(ResolveException.class);

            SmallRecording recording = SmallRecording.of(
                    own,
                    SmallRecording.request(TargetSelection.ofComm("usdt-awaited"), "usdt:late:hit", "usdt:never:there"),
                    () -> {
                        assertThat(program.ask("load " + library.executable())).isEqualTo("loaded");
                        await(program, "watched", "1");
                        assertThat(program.ask("call 3")).isEqualTo("done");
                    });

            assertThat(recording.recorded().of("late:hit"))
                    .extracting(Recorded.Kept::numbers)
                    .containsExactly(List.of(3L));
            assertThat(recording.notices())
                    .anySatisfy(
                            notice -> assertThat(notice).startsWith("usdt:late:hit, usdt:never:there are in no file"))
                    .contains("attached nowhere, because the target mapped no file with usdt:never:there");
        }
    }

    @Test
    void probesOfAProcessInAContainerAreReachedThroughItsRoot() throws Exception {
        Path root = Files.createTempDirectory(folder, "root");
        CProgram.compile(root, "usdt/forms", "-static");
        Process process = new ProcessBuilder("unshare", "-m", "chroot", root.toString(), "/forms")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
                Writer input = process.outputWriter(StandardCharsets.UTF_8)) {
            ask(input, output, "rax 1");
            Recorded recorded = SmallRecording.ofProcess(
                            folder,
                            Math.toIntExact(process.pid()),
                            () -> ask(input, output, "both 8"),
                            "usdt:forms:both",
                            "usdt:/forms:rax")
                    .recorded();
            assertThat(recorded.events).extracting(Recorded.Kept::numbers).containsExactly(List.of(8L));
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    @Test
    void everyProgramForTheProbesOfTheJvmPassesTheVerifier() throws Exception {
        Path libjvm = Path.of(System.getProperty("java.home"), "lib", "server", "libjvm.so");
        try (CProgram.Running program = watched.start();
                Collector collector = Collector.open(SmallRecording.request(
                        TargetSelection.ofPids(List.of(program.pid())),
                        "usdt:" + libjvm + ":hotspot:*",
                        "usdt:" + libjvm + ":hs_private:*",
                        "usdt:" + libjvm + ":hotspot_jni:*"))) {
            assertThat(collector.probeCount()).isGreaterThan(400);
            assertThat(collector.warnings()).isEmpty();
        }
    }

    private static void ask(Writer input, BufferedReader output, String line) throws Exception {
        input.write(line + "\n");
        input.flush();
        assertThat(output.readLine()).isEqualTo("done");
    }

    /** Asks again and again, with a bound: there is no event to wait for. */
    private static void await(CProgram.Running program, String question, String answer) throws Exception {
        long startNs = System.nanoTime();
        while (!program.ask(question).equals(answer)) {
            assertThat(System.nanoTime() - startNs)
                    .as("%s does not become %s", question, answer)
                    .isLessThan(PATIENCE_NS);
            Thread.onSpinWait();
        }
    }
}
