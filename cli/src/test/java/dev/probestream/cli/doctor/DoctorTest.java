package dev.probestream.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.probestream.bpf.machine.Capability;
import dev.probestream.bpf.machine.Confinement;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DoctorTest {
    private static final Set<Capability> NONE = Set.of();
    private static final Set<Capability> ALL = Set.of(Capability.values());

    @TempDir
    private Path root;

    @Test
    void withoutCapabilitiesRecordingIsNotPossible() {
        assertThat(privileges(NONE, "capabilities"))
                .isEqualTo(CheckResult.missing(
                        "capabilities", "CAP_PERFMON and CAP_BPF not held (held: none)", "use sudo"));
    }

    @Test
    void theOldAlmightyCapabilityIsEnough() {
        assertThat(Permission.missing(Set.of(Capability.CAP_SYS_ADMIN))).isEmpty();
    }

    @Test
    void perfmonAloneIsNotEnough() {
        assertThat(Permission.missing(Set.of(Capability.CAP_PERFMON))).containsExactly(Capability.CAP_BPF);
    }

    @Test
    void kernelSymbolsMayBeHidden() throws IOException {
        write("proc/kallsyms", "0000000000000000 T _text\n");

        assertThat(privileges(ALL, "kallsyms").status()).isEqualTo(CheckResult.Status.LIMITED);

        write("proc/kallsyms", "0000000000000000 T _text\n".repeat(100_000));
        assertThat(privileges(ALL, "kallsyms").status()).isEqualTo(CheckResult.Status.LIMITED);
    }

    /** x86-64 before 6.15: per-CPU symbols are offsets from 0 and come first in the table. */
    @Test
    void kernelSymbolsAreShownIfOnlyPerCpuOnesAreZero() throws IOException {
        write("proc/kallsyms", """
                        0000000000000000 A fixed_percpu_data
                        0000000000000000 A __per_cpu_start
                        0000000000001000 A cpu_debug_store
                        ffffffff81000000 T _text
                        """);
        assertThat(privileges(ALL, "kallsyms")).isEqualTo(CheckResult.ok("kallsyms", "addresses shown"));

        write("proc/kallsyms", "0000000000000000 A a\n".repeat(5000) + "ffffffff81000000 T _text\n");
        assertThat(privileges(ALL, "kallsyms")).isEqualTo(CheckResult.ok("kallsyms", "addresses shown"));
    }

    @Test
    void theLimitOfLockedMemoryMattersBefore511() throws IOException {
        write("proc/self/limits", "Limit  Soft Limit  Hard Limit  Units\nMax locked memory  8388608  8388608  bytes\n");
        write("proc/sys/kernel/osrelease", "5.10.0-30-amd64\n");
        assertThat(confinement("RLIMIT_MEMLOCK").found()).startsWith("8388608 bytes");
        assertThat(confinement("RLIMIT_MEMLOCK").status()).isEqualTo(CheckResult.Status.LIMITED);

        write("proc/sys/kernel/osrelease", "5.11.0\n");
        assertThat(confinement("RLIMIT_MEMLOCK").status()).isEqualTo(CheckResult.Status.OK);
    }

    @Test
    void whatCanRefuseBpfIsShown() throws IOException {
        write("proc/self/status", "Name:\tjava\nSeccomp:\t2\nSeccomp_filters:\t1\n");
        write("proc/self/uid_map", "         0       1000          1\n");
        write("sys/fs/selinux/enforce", "1");
        write("proc/self/attr/current", "system_u:system_r:container_t:s0:c1,c2\0");

        assertThat(confinement("seccomp").remedy()).contains("--security-opt seccomp=FILE");
        assertThat(confinement("user namespace").status()).isEqualTo(CheckResult.Status.MISSING);
        assertThat(confinement("SELinux").found())
                .isEqualTo("enforces, context system_u:system_r:container_t:s0:c1,c2");
        assertThat(confinement("SELinux").remedy()).contains("ausearch -m avc -c java");
        assertThat(confinement("AppArmor").status()).isEqualTo(CheckResult.Status.OK);

        write("proc/self/attr/apparmor/current", "docker-default (enforce)\n");
        assertThat(confinement("AppArmor").found()).isEqualTo("enforces docker-default (enforce)");
        write("proc/self/attr/apparmor/current", "unconfined\n");
        assertThat(confinement("AppArmor").status()).isEqualTo(CheckResult.Status.OK);
    }

    @Test
    void nothingRefusesBpfOnAPlainMachine() throws IOException {
        write("proc/self/status", "Name:\tjava\nSeccomp:\t0\n");
        write("proc/self/uid_map", "         0          0 4294967295\n");
        write("sys/fs/selinux/enforce", "0");
        assertThat(new ConfinementChecks(Confinement.read(root)).run())
                .allMatch(result -> result.status() == CheckResult.Status.OK);
    }

    @Test
    void aContainerSeesOtherPidsThanTheKernelReports() throws IOException {
        Files.createDirectories(root.resolve("proc/self/ns"));
        Files.createSymbolicLink(root.resolve("proc/self/ns/pid"), Path.of("pid:[4026532198]"));

        assertThat(privileges(ALL, "pid namespace").remedy())
                .isEqualTo("run on the host, or start the container with --pid=host");
    }

    @Test
    void lockdownOfConfidentialityForbidsReading() throws IOException {
        write("sys/kernel/security/lockdown", "none integrity [confidentiality]\n");

        assertThat(confinement("lockdown").status()).isEqualTo(CheckResult.Status.MISSING);
    }

    @Test
    void lockdownOfIntegrityDoesNot() throws IOException {
        write("sys/kernel/security/lockdown", "none [integrity] confidentiality\n");

        assertThat(confinement("lockdown"))
                .isEqualTo(CheckResult.ok("lockdown", "integrity (forbids nothing that Probestream does)"));
    }

    @Test
    void mountPointsWithBlanksAreReadable() throws IOException {
        write("proc/self/mounts", "tracefs /mnt/a\\040b tracefs rw 0 0\ncgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n");

        assertThat(new FileSystemChecks(root, NONE).run())
                .containsExactly(CheckResult.ok("tracefs", "/mnt/a b"), CheckResult.ok("cgroup2", "/sys/fs/cgroup"));
    }

    @Test
    void tracefsThatIsNotMountedNeedsAMount() throws IOException {
        write("proc/filesystems", "nodev\ttracefs\n");

        assertThat(find(new FileSystemChecks(root, NONE).run(), "tracefs").remedy())
                .isEqualTo("as root: mount -t tracefs tracefs /sys/kernel/tracing");
        assertThat(find(new FileSystemChecks(root, ALL).run(), "tracefs").status())
                .isEqualTo(CheckResult.Status.OK);
    }

    @Test
    void theReportIsALinePerFindingAndARemedyBelowIt() {
        DoctorReport report = new DoctorReport(List.of(
                CheckResult.ok("one", "there"),
                CheckResult.limited("two", "half", "do this"),
                CheckResult.missing("three", "not there", "do that")));
        StringWriter text = new StringWriter();

        report.printText(new PrintWriter(text));

        assertThat(text).hasToString("""
                        OK       one                      there
                        LIMITED  two                      half
                                                          -> do this
                        MISSING  three                    not there
                                                          -> do that
                        Recording is not possible here: 1 of 3 features missing.
                        """);
        assertThat(report.recordingIsPossible()).isFalse();
    }

    @Test
    void theReportIsAlsoJson() throws IOException {
        StringWriter text = new StringWriter();
        new DoctorReport(List.of(CheckResult.limited("two", "half \"of\" it", "do this")))
                .printJson(new PrintWriter(text));

        JsonNode json = new ObjectMapper().readTree(text.toString());

        assertThat(json.get("recordingIsPossible").asBoolean()).isTrue();
        assertThat(json.get("findings").get(0).get("status").asText()).isEqualTo("limited");
        assertThat(json.get("findings").get(0).get("found").asText()).isEqualTo("half \"of\" it");
    }

    private CheckResult confinement(String feature) {
        return find(new ConfinementChecks(Confinement.read(root)).run(), feature);
    }

    private CheckResult privileges(Set<Capability> capabilities, String feature) {
        return find(new PrivilegeChecks(root, capabilities).run(), feature);
    }

    private static CheckResult find(List<CheckResult> findings, String feature) {
        return findings.stream()
                .filter(finding -> finding.feature().equals(feature))
                .findFirst()
                .orElseThrow();
    }

    private void write(String name, String content) throws IOException {
        Path file = root.resolve(name);
        Files.createDirectories(file.resolveSibling(""));
        Files.writeString(file, content);
    }
}
