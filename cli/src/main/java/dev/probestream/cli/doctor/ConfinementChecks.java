package dev.probestream.cli.doctor;

import dev.probestream.bpf.machine.Confinement;
import java.util.List;

/** Checks what can refuse BPF to a process that has the capabilities: lockdown, seccomp, SELinux, AppArmor, namespaces. */
final class ConfinementChecks {
    private final Confinement confinement;

    ConfinementChecks(Confinement confinement) {
        this.confinement = confinement;
    }

    List<CheckResult> run() {
        return List.of(lockdown(), seccomp(), userNamespace(), selinux(), appArmor(), lockedMemory());
    }

    /** kernel_lockdown(7), and the reasons in the kernel's include/linux/security.h. */
    private CheckResult lockdown() {
        return switch (confinement.lockdown()) {
            case "confidentiality" ->
                CheckResult.missing(
                        "lockdown",
                        "confidentiality: BPF programs may not read kernel memory",
                        "boot without lockdown=confidentiality");
            case "integrity" -> CheckResult.ok("lockdown", "integrity (forbids nothing that Probestream does)");
            default -> CheckResult.ok("lockdown", confinement.lockdown());
        };
    }

    private CheckResult seccomp() {
        return confinement.hasSeccompFilter()
                ? CheckResult.limited(
                        "seccomp",
                        "a filter is in force, which may refuse bpf and perf_event_open",
                        "if 'programs' above is missing: allow both in the container's profile"
                                + " (--security-opt seccomp=FILE) or the unit's SystemCallFilter=")
                : CheckResult.ok("seccomp", "no filter");
    }

    private CheckResult userNamespace() {
        return confinement.isInUserNamespace()
                ? CheckResult.missing(
                        "user namespace",
                        "not the first one (a rootless container): its capabilities do not count for BPF",
                        "run as root of the host, or in a container of the host's root")
                : CheckResult.ok("user namespace", "the host's");
    }

    private CheckResult selinux() {
        return confinement.selinux().isEmpty()
                ? CheckResult.ok("SELinux", "does not enforce")
                : CheckResult.limited(
                        "SELinux",
                        "enforces, context " + confinement.selinux(),
                        "if BPF is refused: 'ausearch -m avc -c java' shows what was denied");
    }

    private CheckResult appArmor() {
        return confinement.appArmor().isEmpty()
                ? CheckResult.ok("AppArmor", "enforces no profile for this process")
                : CheckResult.limited(
                        "AppArmor",
                        "enforces " + confinement.appArmor(),
                        "if BPF is refused: allow capability bpf, perfmon and sys_ptrace in the profile");
    }

    private CheckResult lockedMemory() {
        long bytes = confinement.lockedMemoryBytes();
        return bytes < 0
                ? CheckResult.ok("RLIMIT_MEMLOCK", "not charged for maps (Linux 5.11 and later), or unlimited")
                : CheckResult.limited(
                        "RLIMIT_MEMLOCK",
                        bytes + " bytes, to which this kernel (before 5.11) charges maps",
                        "ulimit -l unlimited, or CAP_SYS_RESOURCE");
    }
}
