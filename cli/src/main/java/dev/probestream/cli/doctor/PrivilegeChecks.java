package dev.probestream.cli.doctor;

import dev.probestream.bpf.machine.Capability;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Checks the privileges of this process. */
final class PrivilegeChecks {
    private final Path root;
    private final Set<Capability> capabilities;

    PrivilegeChecks(Path root, Set<Capability> capabilities) {
        this.root = root;
        this.capabilities = capabilities;
    }

    List<CheckResult> run() {
        List<CheckResult> results = new ArrayList<>();
        results.add(capabilities());
        results.add(otherUsersProcesses());
        results.add(setting("perf_event_paranoid", "what processes without CAP_PERFMON may measure"));
        results.add(setting("unprivileged_bpf_disabled", "what processes without CAP_BPF may load"));
        results.add(kernelSymbols());
        results.add(pidNamespace());
        return results;
    }

    private CheckResult capabilities() {
        Set<Capability> missing = Permission.missing(capabilities);
        String held = Arrays.stream(Capability.values())
                .filter(capabilities::contains)
                .map(Capability::name)
                .collect(Collectors.joining(" "));
        if (missing.isEmpty()) {
            return CheckResult.ok("capabilities", held);
        }
        String lacking = missing.stream().map(Capability::name).collect(Collectors.joining(" and "));
        return CheckResult.missing(
                "capabilities", lacking + " not held (held: " + (held.isEmpty() ? "none" : held) + ")", "use sudo");
    }

    private CheckResult otherUsersProcesses() {
        String feature = "other users' processes";
        if (!capabilities.contains(Capability.CAP_SYS_PTRACE)) {
            return CheckResult.limited(
                    feature, "only own processes: CAP_SYS_PTRACE is not held", "use sudo, or add cap_sys_ptrace");
        }
        return capabilities.contains(Capability.CAP_DAC_READ_SEARCH)
                ? CheckResult.ok(feature, "CAP_SYS_PTRACE is held")
                : CheckResult.limited(
                        feature,
                        "their functions of JavaScript have no names, their descriptors and connections are not counted:"
                                + " CAP_DAC_READ_SEARCH is not held",
                        "use sudo, or add cap_dac_read_search");
    }

    private CheckResult setting(String name, String meaning) {
        String value = SystemFile.firstLine(root.resolve("proc/sys/kernel").resolve(name))
                .orElse("not available");
        // Always OK: with the capabilities above the settings do not matter, and without them no setting is sufficient.
        return CheckResult.ok(name, value + " (" + meaning + ")");
    }

    private CheckResult kernelSymbols() {
        // Any line: on x86-64 before 6.15 the first ones are per-CPU offsets from 0 (arch/x86/kernel/vmlinux.lds.S).
        return SystemFile.anyLine(root.resolve("proc/kallsyms"), line -> !line.startsWith("0000000000000000"))
                ? CheckResult.ok("kallsyms", "addresses shown")
                : CheckResult.limited(
                        "kallsyms",
                        "addresses hidden: kernel stacks have no names",
                        "use sudo, or 'sysctl kernel.kptr_restrict=1' and CAP_SYSLOG");
    }

    private CheckResult pidNamespace() {
        String namespace = SystemFile.link(root.resolve("proc/self/ns/pid")).orElse("unknown");
        // PROC_PID_INIT_INO, include/linux/proc_ns.h.
        return namespace.equals("pid:[4026531836]")
                ? CheckResult.ok("pid namespace", "the host's")
                : CheckResult.limited(
                        "pid namespace",
                        namespace + " is a container's, but the kernel reports the host's pids",
                        "run on the host, or start the container with --pid=host");
    }
}
