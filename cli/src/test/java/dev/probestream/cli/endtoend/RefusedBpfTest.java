package dev.probestream.cli.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.terminal.ExitCode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A kernel that refuses bpf(2) to a process with all capabilities: without BPF, by a container's seccomp profile, by SELinux,
 * and in a user namespace. A seccomp filter gives the errors, as a container's does.
 */
@KernelTest(since = "5.8")
@Tag("deep")
class RefusedBpfTest {
    /** The number of bpf(2) on x86-64 and on aarch64 (asm-generic/unistd.h). */
    private static final String BPF = System.getProperty("os.arch").equals("aarch64") ? "280" : "321";

    private static final String FILTER =
            "a seccomp filter is in force (of a container, or SystemCallFilter= of a systemd unit):"
                    + " allow bpf and perf_event_open in its profile";

    @TempDir
    private Path folder;

    /** A command and what is in front of it. */
    private record Case(List<String> before, List<String> arguments, String reason) {}

    @Test
    void everyCommandNamesWhatRefusesBpfAndWhatToDo() throws Exception {
        String refuse = CProgram.compile(folder, "bpf/refuse").executable().toString();
        List<String> withoutBpf = List.of(refuse, BPF, "38");
        List<String> container = List.of(refuse, BPF, "1");
        List<String> selinux = List.of(refuse, BPF, "13");
        List<String> rootless = List.of("unshare", "--user", "--map-root-user");
        String probe = "uprobe:libc.so.6:getpid";
        String file = folder.resolve("a.avro").toString();
        String noBpf = "ENOSYS (this kernel was built without it (CONFIG_BPF_SYSCALL, CONFIG_PERF_EVENTS); or " + FILTER
                + "; run 'doctor')";
        List<Case> cases = List.of(
                new Case(withoutBpf, List.of("record", "--for", "1s", "-o", file, "--", "true"), noBpf),
                new Case(withoutBpf, List.of("trace", probe, "--", "true"), noBpf),
                new Case(container, List.of("hist", probe, "--", "true"), "EPERM (" + FILTER + "; run 'doctor')"),
                new Case(selinux, List.of("trace", probe, "--", "true"), "EACCES (" + FILTER + "; run 'doctor')"),
                new Case(
                        rootless,
                        List.of("trace", probe, "--", "true"),
                        "EPERM (capabilities do not count in this user"
                                + " namespace (a rootless container): run it as root of the host; run 'doctor')"));
        List<CommandRun> runs = new ArrayList<>();
        for (Case one : cases) {
            runs.add(CommandRun.start(one.before, one.arguments));
        }
        for (int i = 0; i < cases.size(); i++) {
            assertThat(runs.get(i).end()).as("%s", cases.get(i)).isEqualTo(ExitCode.NOT_PERMITTED.value());
            assertThat(runs.get(i).said())
                    .as("%s", cases.get(i))
                    .singleElement()
                    .asString()
                    .startsWith("probestream " + cases.get(i).arguments.get(0) + ": the kernel refuses ")
                    .endsWith(cases.get(i).reason);
        }
        assertThat(Path.of(file)).doesNotExist();
    }

    @Test
    void doctorNamesTheRefusalOnceAndTheSeccompFilter() throws Exception {
        String refuse = CProgram.compile(folder, "bpf/refuse").executable().toString();
        CommandRun run = CommandRun.start(List.of(refuse, BPF, "1"), List.of("doctor"));
        assertThat(run.end()).isEqualTo(ExitCode.NOT_PERMITTED.value());
        assertThat(run.out().lines().filter(line -> line.startsWith("MISSING")))
                .singleElement()
                .asString()
                .startsWith("MISSING  programs ")
                .contains("EPERM (" + FILTER);
        assertThat(run.out()).contains("LIMITED  seccomp ").doesNotContain("use Linux");
    }
}
