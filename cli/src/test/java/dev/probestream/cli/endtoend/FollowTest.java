package dev.probestream.cli.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Children of a wrapper: traced with --follow, and named without it. */
@KernelTest(since = "5.8")
class FollowTest {
    private static final String OPENS = "tracepoint:syscalls:sys_enter_openat /comm == \"tail\"/";
    private static final List<String> WRAPPER = List.of("--", "sh", "-c", "tail -n 1 /etc/passwd >/dev/null; true");

    @TempDir
    private Path folder;

    @Test
    void traceFollowsChildrenAndNamesThemOtherwise() throws Exception {
        CommandRun followed = run(List.of("trace", "--follow", "--json", OPENS), WRAPPER);
        assertThat(followed.out().lines()).isNotEmpty().allMatch(line -> line.contains("\"comm\":\"tail\""));
        assertThat(followed.said()).noneMatch(line -> line.contains("--follow"));

        CommandRun alone = run(List.of("trace", "--json", OPENS), WRAPPER);
        assertThat(alone.out()).isEmpty();
        assertThat(alone.said())
                .anyMatch(
                        line -> line.matches("sh \\(\\d+\\) started a process that is not traced: (sh|tail) \\(\\d+\\);"
                                + " --follow traces children"))
                .anyMatch(line -> line.startsWith("attached, not hit: tracepoint:syscalls:sys_enter_openat"));
    }

    @Test
    void histFollowsChildrenAndNamesThemOtherwise() throws Exception {
        CommandRun followed = run(List.of("hist", "--follow", "--by", "comm", OPENS), WRAPPER);
        assertThat(followed.out()).contains("comm = tail");

        CommandRun alone = run(List.of("hist", "--by", "comm", OPENS), WRAPPER);
        assertThat(alone.out()).contains("(no hits)");
        assertThat(alone.said()).anyMatch(line -> line.endsWith("; --follow traces children"));
    }

    @Test
    void aProcessIsWaitedForByItsName() throws Exception {
        Path link = Files.createSymbolicLink(
                folder.resolve("follow-awaited"), Path.of("/bin/sleep").toRealPath());
        try (CommandRun trace = CommandRun.start(
                "trace", "--comm", "follow-awaited", "-M", "1", "t:syscalls:sys_exit_clock_nanosleep")) {
            trace.await(
                    "no process named follow-awaited is running yet: the probes are attached now, so that they have its"
                            + " hits from its start");
            trace.await("tracing with 1 probe");
            Process program = new ProcessBuilder(link.toString(), "0.2").start();
            while (program.waitFor() == 0 && trace.isAlive()) {
                program = new ProcessBuilder(link.toString(), "0.2").start();
            }
            assertThat(trace.end()).isZero();
            assertThat(trace.out()).contains("follow-awaited");
        } finally {
            Files.delete(link);
        }
    }

    @Test
    void nobodyComesAndCtrlCEndsTheWait() throws Exception {
        String output = folder.resolve("a.avro").toString();
        try (CommandRun record = CommandRun.start("record", "--comm", "follow-nobody", "-o", output)) {
            record.await("waiting for a process named follow-nobody; Ctrl-C ends it");
            assertThat(record.interrupt().end()).isEqualTo(1);
            assertThat(record.said())
                    .last()
                    .isEqualTo("probestream record: no process named follow-nobody was started");
        }
        assertThat(Path.of(output)).doesNotExist();
    }

    @Test
    void theWaitForAProcessEndsAfterTheTimeOfTheRecording() throws Exception {
        CommandRun trace = CommandRun.run("trace", "--comm", "follow-nobody", "--for", "200ms", "uprobe:main");

        assertThat(trace.exitCode()).isEqualTo(1);
        assertThat(trace.said())
                .last()
                .isEqualTo("probestream trace: no process named follow-nobody was started within the time of --for");
    }

    @Test
    void noProcessIsNeededForProbesOfTheKernelAndThatNoneCameIsPrinted() throws Exception {
        CommandRun trace =
                CommandRun.run("trace", "--comm", "follow-nobody", "--for", "200ms", "t:syscalls:sys_enter_openat");

        assertThat(trace.exitCode()).isZero();
        assertThat(trace.out().lines()).hasSize(1); // the header
        assertThat(trace.said()).contains("no process named follow-nobody was started", "ended: the time was up");
    }

    @Test
    void theFirstProcessOfANameIsSeenFromItsBeginningIfTheFileIsNamedByItsPath() throws Exception {
        CProgram calls = CProgram.compile(folder, "trace/calls");
        Path named = Files.copy(calls.executable(), folder.resolve("follow-first"), StandardCopyOption.COPY_ATTRIBUTES);
        Path input = Files.writeString(folder.resolve("input"), "500\n");
        try (CommandRun trace = CommandRun.start(
                "trace", "--comm", "follow-first", "uprobe:" + named + ":outer { printf(\"%d\\n\", (int32)arg1); }")) {
            trace.await("tracing with 1 probe");
            Process program = new ProcessBuilder(named.toString())
                    .redirectInput(input.toFile())
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            assertThat(program.waitFor()).isZero();

            assertThat(trace.interrupt().end()).isZero();
            assertThat(trace.out().lines()).hasSize(500).startsWith("-2").endsWith("497");
        }
    }

    /** As a shell without job control starts what it runs with {@code &}. */
    @Test
    void sigintEndsACommandThatWasStartedWithSigintIgnored() throws Exception {
        Path output = folder.resolve("background.avro");
        try (CommandRun record = CommandRun.start(
                List.of("env", "--ignore-signal=INT"),
                List.of(
                        "record",
                        "-p",
                        String.valueOf(ProcessHandle.current().pid()),
                        "--probes",
                        "t:syscalls:sys_enter_reboot",
                        "-o",
                        output.toString()))) {
            record.awaitRecording();
            assertThat(record.interrupt().end()).isZero();
            assertThat(record.said()).contains("ended: stopped by the user");
        }
        assertThat(output).exists();
    }

    private static CommandRun run(List<String> before, List<String> command) throws Exception {
        List<String> all = new ArrayList<>(before);
        all.addAll(command);
        CommandRun run = CommandRun.run(all.toArray(new String[0]));
        assertThat(run.exitCode()).as("%s", run.said()).isZero();
        return run;
    }
}
