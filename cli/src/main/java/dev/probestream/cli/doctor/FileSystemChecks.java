package dev.probestream.cli.doctor;

import dev.probestream.bpf.machine.Capability;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Checks the kernel's file systems that are needed to find probes. */
final class FileSystemChecks {
    private final Path root;
    private final Set<Capability> capabilities;

    FileSystemChecks(Path root, Set<Capability> capabilities) {
        this.root = root;
        this.capabilities = capabilities;
    }

    List<CheckResult> run() {
        return List.of(traceFileSystem(), controlGroups());
    }

    private CheckResult traceFileSystem() {
        Optional<String> mountPoint = mountPoint("tracefs");
        if (mountPoint.isPresent()) {
            return CheckResult.ok("tracefs", mountPoint.get());
        }
        boolean known = SystemFile.lines(root.resolve("proc/filesystems")).stream()
                .anyMatch(line -> line.endsWith("\ttracefs"));
        if (!known) {
            return CheckResult.limited(
                    "tracefs",
                    "not supported by this kernel: no tracepoint:... probes",
                    "use a kernel built with CONFIG_FTRACE=y, or do not use tracepoint:... probes");
        }
        return capabilities.contains(Capability.CAP_SYS_ADMIN)
                ? CheckResult.ok("tracefs", "not mounted; will be mounted at /sys/kernel/tracing when a probe needs it")
                : CheckResult.limited(
                        "tracefs",
                        "not mounted: no tracepoint:... probes",
                        "as root: mount -t tracefs tracefs /sys/kernel/tracing");
    }

    private CheckResult controlGroups() {
        return mountPoint("cgroup2")
                .map(mountPoint -> CheckResult.ok("cgroup2", mountPoint))
                .orElse(CheckResult.limited(
                        "cgroup2",
                        "not mounted: --cgroup cannot be used",
                        "as root: mount -t cgroup2 none /sys/fs/cgroup"));
    }

    /** The first mount of a type in this mount namespace; {@code proc_pid_mounts(5)} escapes blanks as \040. */
    private Optional<String> mountPoint(String type) {
        return SystemFile.lines(root.resolve("proc/self/mounts")).stream()
                .map(line -> line.split(" "))
                .filter(fields -> fields.length > 2 && fields[2].equals(type))
                .map(fields -> fields[1].replace("\\040", " "))
                .findFirst();
    }
}
