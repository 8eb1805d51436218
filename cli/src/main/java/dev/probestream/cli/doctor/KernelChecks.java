package dev.probestream.cli.doctor;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Checks the architecture and the kernel release. */
final class KernelChecks {
    private final Path root;

    KernelChecks(Path root) {
        this.root = root;
    }

    List<CheckResult> run() {
        List<CheckResult> results = new ArrayList<>();
        results.add(machine());
        results.add(release());
        return results;
    }

    private static CheckResult machine() {
        String architecture = System.getProperty("os.arch");
        String system = System.getProperty("os.name");
        if (!system.equals("Linux")) {
            return CheckResult.missing("machine", system + " on " + architecture, "run Probestream on Linux");
        }
        return switch (architecture) {
            case "amd64" -> CheckResult.ok("machine", "x86-64");
            case "aarch64" ->
                CheckResult.limited("machine", "aarch64", "expected to work, but not tested with this version");
            default ->
                CheckResult.missing("machine", architecture, "run Probestream on x86-64 (or on aarch64, untested)");
        };
    }

    private CheckResult release() {
        String release =
                SystemFile.firstLine(root.resolve("proc/sys/kernel/osrelease")).orElse("unknown");
        // Features are checked by using them; the release is for information.
        return CheckResult.ok("kernel release", release);
    }
}
