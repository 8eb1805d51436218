package dev.probestream.collector.internal.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.probestream.bpf.elf.ElfFixture;
import dev.probestream.bpf.proc.ProcFile;
import dev.probestream.collector.internal.resolve.RunningProgram;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.probe.ResolveException.Reason;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class TargetTest {
    private static final int SELF = (int) ProcessHandle.current().pid();
    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    @TempDir
    Path folder;

    private static ResolveException refused(int pid) {
        return catchThrowableOfType(ResolveException.class, () -> Target.of(pid));
    }

    @Test
    void processTellsWhatItIs() throws Exception {
        Target self = Target.of(SELF);

        assertThat(self.pid()).isEqualTo(SELF);
        assertThat(self.executable())
                .isEqualTo(Path.of("/proc/self/exe").toRealPath().toString());
        assertThat(self.comm()).isEqualTo("java");
        assertThat(self.commandLine()).isNotEmpty();
        assertThat(self.parentPid()).isEqualTo((int) ProcessHandle.current()
                .parent()
                .map(ProcessHandle::pid)
                .orElse(0L)
                .longValue());
        assertThat(FileId.of(self.executableFile())).isEqualTo(FileId.of(Path.of(self.executable())));
        assertThat(self.maps().codeFiles()).isNotEmpty();
        assertThat(self.threads()).hasSizeGreaterThan(3).first().isEqualTo(new TargetThread(SELF, "java"));
    }

    @Test
    void startLiesBetweenBootAndNow() throws Exception {
        double uptimeS =
                Double.parseDouble(Files.readString(Path.of("/proc/uptime")).split(" ")[0]);
        assertThat(Target.of(SELF).startBoottimeNs())
                .isBetween(0L, (long) ((uptimeS + 1) * TimeUnit.SECONDS.toNanos(1)));
    }

    @Test
    void pidThatIsNoneIsAnsweredInWords() {
        ResolveException e = refused(4_194_305); // above the kernel's largest pid

        assertThat(e.reason()).isEqualTo(Reason.NO_PROCESS);
        assertThat(e)
                .hasMessage("read process 4194305: there is no process with this pid; it may have exited"
                        + " ('ps -e' lists running processes)");
        assertThat(refused(-1).reason()).isEqualTo(Reason.NO_PROCESS);
    }

    @Test
    void threadIsAnsweredWithItsProcess() throws Exception {
        int tid = Target.of(SELF).threads().get(1).tid();

        assertThat(refused(tid))
                .hasMessage("read process " + tid + ": it is a thread of process " + SELF + "; use that pid");
    }

    @Test
    void threadOfTheKernelHasNoProgram() throws Exception {
        Path comm = Path.of("/proc/2/comm");
        assumeTrue(
                Files.exists(comm) && Files.readString(comm).equals("kthreadd\n"),
                "pid 2 is kthreadd only outside containers");

        assertThat(refused(2))
                .hasMessage(
                        "read process 2 (kthreadd): it is a kernel thread and has no executable; use" + " tracepoints");
    }

    @Test
    void zombieHasExited() throws Exception {
        // The child ends only when its parent is cat, which waits for no child.
        String untilCat = "while [ \"$(cat /proc/$PPID/comm)\" != cat ]; do :; done";
        try (RunningProgram parent = RunningProgram.start("sh", "-c", "sh -c '" + untilCat + "' & echo $!; exec cat")) {
            int child = Integer.parseInt(parent.firstLine());
            Assertions.assertTimeoutPreemptively(TIMEOUT, () -> {
                while (!Files.readString(ProcFile.of(child, "status")).contains("State:\tZ")) {
                    Thread.onSpinWait();
                }
            });
            assertThat(refused(child)).hasMessageContaining("it has exited and waits for its parent");
        }
    }

    @Test
    void processThatExitsWhileItIsLookedAtIsSaidToHaveExited() throws Exception {
        Target gone;
        try (RunningProgram program = RunningProgram.start("sh", "-c", "echo; exec cat")) {
            gone = program.target();
        }
        assertThat(catchThrowableOfType(ResolveException.class, gone::maps))
                .hasMessage("read /proc/" + gone.pid() + "/maps: process " + gone.pid() + " (" + gone.comm()
                        + ") has exited");
        assertThat(gone.threads()).isEmpty();
    }

    @Test
    void processesAreFoundByName() throws Exception {
        ElfFixture.needs("cat");
        Path cat = Files.copy(Path.of("/bin/cat").toRealPath(), folder.resolve("a-name-longer-than-15"));
        cat.toFile().setExecutable(true);
        try (RunningProgram program = RunningProgram.start("sh", "-c", "echo; exec " + cat)) {
            awaitComm(program.pid(), "a-name-longer-t");

            assertThat(TargetProcesses.ofComm("a-name-longer-than-15", false, unused -> {}))
                    .extracting(Target::pid)
                    .containsExactly(program.pid());
        }
        ResolveException none = catchThrowableOfType(
                ResolveException.class, () -> TargetProcesses.ofComm("a-name-longer-than-15", false, unused -> {}));
        assertThat(none).hasMessageStartingWith("find processes named 'a-name-longer-than-15': none is running");
    }

    @Test
    void descendantsAreFoundBelowTheirAncestor() throws Exception {
        try (RunningProgram parent = RunningProgram.start("sh", "-c", "(sh -c 'echo $$; cat'; :); :")) {
            assumeTrue(Files.exists(ProcFile.of(SELF, "task/" + SELF + "/children")), "needs CONFIG_PROC_CHILDREN");
            int grandchild = Integer.parseInt(parent.firstLine());

            assertThat(TargetProcesses.descendantsOf(parent.pid(), unused -> {}))
                    .extracting(Target::pid)
                    .contains(grandchild)
                    .doesNotContain(parent.pid());
            assertThat(TargetProcesses.descendantsOf(SELF, unused -> {}))
                    .extracting(Target::pid)
                    .contains(parent.pid(), grandchild);
        }
    }

    @Test
    void processesAreFoundInTheirControlGroup() throws Exception {
        Optional<Path> group = Files.readAllLines(Path.of("/proc/mounts")).stream()
                .map(line -> line.split(" "))
                .filter(fields -> fields[2].equals("cgroup2"))
                .map(fields -> Path.of(fields[1]))
                .findFirst();
        assumeTrue(group.isPresent() && Files.isWritable(group.get()), "needs cgroup v2 mounted, and root");
        Path ours = Files.createDirectory(group.get().resolve("probestream-test-" + SELF));
        try (RunningProgram program = RunningProgram.start("sh", "-c", "echo; exec cat")) {
            Files.writeString(ours.resolve("cgroup.procs"), String.valueOf(program.pid()));

            assertThat(TargetProcesses.ofCgroup(ours, unused -> {}))
                    .extracting(Target::pid)
                    .containsExactly(program.pid());
        } finally {
            Files.delete(ours);
        }
        assertThat(catchThrowableOfType(
                        ResolveException.class,
                        () -> TargetProcesses.ofCgroup(Path.of("/sys/fs/cgroup/no/such"), unused -> {})))
                .hasMessageContaining("no such file or directory (use its folder below /sys/fs/cgroup)");
    }

    private static void awaitComm(int pid, String comm) {
        Assertions.assertTimeoutPreemptively(TIMEOUT, () -> {
            while (!ProcFile.read(pid, "comm").strip().equals(comm)) {
                Thread.onSpinWait();
            }
        });
    }

    /** A child that nothing waits for stays in the list of children when it has ended. */
    @Test
    @Timeout(120)
    void childrenThatHaveEndedAreCounted() throws Exception {
        Process parent = new ProcessBuilder("sh", "-c", "sleep 1000 & echo $!; exec sleep 1000").start();
        try {
            int child = Integer.parseInt(parent.inputReader().readLine());
            int pid = Math.toIntExact(parent.pid());
            while (!TargetProcesses.comm(pid).equals(Optional.of("sleep"))) {
                Thread.onSpinWait();
            }
            ProcessHandle.of(child).orElseThrow().destroyForcibly();
            while (!TargetProcesses.hasEnded(child)) {
                Thread.onSpinWait();
            }
            List<String> skipped = new ArrayList<>();

            assertThat(TargetProcesses.descendantsOf(pid, skipped::add)).isEmpty();
            assertThat(skipped).containsExactly("1 process ended before it could be read from /proc and is left out");
        } finally {
            parent.destroyForcibly().waitFor();
        }
    }
}
