package dev.probestream.bpf.machine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What can refuse bpf(2), perf_event_open(2) and tracefs to a process that has the capabilities for them.
 *
 * @param lockdown the mode of kernel_lockdown(7): {@code none}, {@code integrity} or {@code confidentiality}
 * @param hasSeccompFilter whether a seccomp filter decides about system calls of this process; what it refuses cannot be read
 * @param isInUserNamespace whether capabilities hold only inside a user namespace; BPF requires those of the first one
 * @param selinux the security context of this process if SELinux enforces; "" = it does not
 * @param appArmor the AppArmor profile that is enforced for this process; "" = none
 * @param lockedMemoryBytes the soft RLIMIT_MEMLOCK where the kernel (before 5.11) charges maps to it; -1 = it does not, or
 *     there is no limit
 */
public record Confinement(
        String lockdown,
        boolean hasSeccompFilter,
        boolean isInUserNamespace,
        String selinux,
        String appArmor,
        long lockedMemoryBytes) {
    /** What the lockdown mode of that name forbids, and what to do. */
    public static final String CONFIDENTIALITY =
            "lockdown is in confidentiality mode, which forbids BPF programs to read"
                    + " kernel memory: boot without lockdown=confidentiality";

    private static final String ALL_IDS = "4294967295"; // user_namespaces(7)
    private static final Pattern LOCKED_MEMORY = Pattern.compile("Max locked memory\\s+(\\d+).*");
    private static final Pattern RELEASE = Pattern.compile("(\\d{1,9})\\.(\\d{1,9}).*");

    /** {@return the confinement of this process} */
    public static Confinement ofThisProcess() {
        return read(Path.of("/"));
    }

    /**
     * Reads /proc and /sys below {@code root}. A file that cannot be read counts as no confinement.
     *
     * @param root {@code /}, or a folder with copies of the files
     * @return what they say
     */
    public static Confinement read(Path root) {
        Path self = root.resolve("proc/self");
        String appArmor = firstLine(self.resolve("attr/apparmor/current"))
                .or(() -> firstLine(root.resolve("sys/module/apparmor/parameters/enabled"))
                        .filter(enabled -> enabled.equals("Y"))
                        .flatMap(enabled -> firstLine(self.resolve("attr/current"))))
                .orElse("");
        boolean isSelinuxEnforcing = firstLine(root.resolve("sys/fs/selinux/enforce"))
                .filter(enforce -> enforce.equals("1"))
                .isPresent();
        return new Confinement(
                firstLine(root.resolve("sys/kernel/security/lockdown"))
                        .map(modes -> modes.replaceAll(".*\\[(\\w+)].*", "$1"))
                        .orElse("none"),
                lines(self.resolve("status")).contains("Seccomp:\t2"), // SECCOMP_MODE_FILTER, linux/seccomp.h
                firstLine(self.resolve("uid_map"))
                        .filter(map -> !map.endsWith(ALL_IDS))
                        .isPresent(),
                isSelinuxEnforcing ? firstLine(self.resolve("attr/current")).orElse("unknown") : "",
                appArmor.endsWith("(enforce)") ? appArmor : "",
                isMemoryCharged(root) ? lockedMemoryBytes(self) : -1);
    }

    /**
     * {@return what applies here, a clause each with what to do; empty if nothing was found}
     *
     * @param isUnknownCall whether the kernel answered ENOSYS, which only a seccomp filter or the kernel's build explain
     */
    public List<String> clauses(boolean isUnknownCall) {
        List<String> clauses = new ArrayList<>();
        if (hasSeccompFilter) {
            clauses.add(
                    "a seccomp filter is in force (of a container, or SystemCallFilter= of a systemd unit): allow bpf and"
                            + " perf_event_open in its profile");
        }
        if (isUnknownCall) {
            return clauses;
        }
        if (isInUserNamespace) {
            clauses.add(
                    "capabilities do not count in this user namespace (a rootless container): run it as root of the host");
        }
        if (!selinux.isEmpty()) {
            clauses.add(
                    "SELinux enforces (context " + selinux + "): 'ausearch -m avc -c java' shows what it denied; allow"
                            + " bpf { map_create map_read map_write prog_load prog_run } and perf_event { open cpu kernel read write }");
        }
        if (!appArmor.isEmpty()) {
            clauses.add(
                    "AppArmor enforces the profile " + appArmor + ": 'journalctl -k -g apparmor=.DENIED' shows what it"
                            + " denied; allow capability bpf and perfmon");
        }
        if (lockdown.equals("confidentiality")) {
            clauses.add(CONFIDENTIALITY);
        }
        if (lockedMemoryBytes >= 0) {
            clauses.add("RLIMIT_MEMLOCK is " + lockedMemoryBytes
                    + " bytes, to which this kernel (before 5.11) charges maps:" + " 'ulimit -l unlimited'");
        }
        return clauses;
    }

    private static boolean isMemoryCharged(Path root) {
        Matcher release = RELEASE.matcher(
                firstLine(root.resolve("proc/sys/kernel/osrelease")).orElse(""));
        if (!release.matches()) {
            return false;
        }
        int major = Integer.parseInt(release.group(1));
        return major < 5 || (major == 5 && Integer.parseInt(release.group(2)) < 11);
    }

    private static long lockedMemoryBytes(Path self) {
        return lines(self.resolve("limits")).stream()
                .map(LOCKED_MEMORY::matcher)
                .filter(Matcher::matches)
                .map(line -> Long.parseLong(line.group(1)))
                .findFirst()
                .orElse(-1L);
    }

    /** SELinux ends its lines with a zero byte. */
    private static Optional<String> firstLine(Path file) {
        return lines(file).stream()
                .findFirst()
                .map(line -> line.replace("\0", "").strip());
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            return List.of();
        }
    }
}
