package dev.probestream.cli.doctor;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What the kernel is and what it was built with. */
final class KernelChecks {
    private final Path root;

    KernelChecks(Path root) {
        this.root = root;
    }

    List<Finding> examine() {
        List<Finding> findings = new ArrayList<>();
        findings.add(machine());
        findings.add(release());
        findings.add(lockdown());
        return findings;
    }

    private static Finding machine() {
        String architecture = System.getProperty("os.arch");
        String system = System.getProperty("os.name");
        if (!system.equals("Linux")) {
            return Finding.missing("machine", system + " on " + architecture, "run Probestream on Linux");
        }
        return switch (architecture) {
            case "amd64" -> Finding.ok("machine", "x86-64");
            case "aarch64" -> Finding.limited("machine", "aarch64", "expected to work, but not tried on this version");
            default -> Finding.missing("machine", architecture, "run Probestream on x86-64 (or, untried, on aarch64)");
        };
    }

    private Finding release() {
        String release =
                SystemFile.firstLine(root.resolve("proc/sys/kernel/osrelease")).orElse("unknown");
        // The features themselves are asked of the kernel; its release only helps to read the answers.
        return Finding.ok("kernel release", release);
    }

    private Finding lockdown() {
        String modes = SystemFile.firstLine(root.resolve("sys/kernel/security/lockdown"))
                .orElse("[none]");
        return modes.contains("[confidentiality]")
                ? Finding.missing(
                        "lockdown",
                        "confidentiality: programs may not read memory",
                        "boot without lockdown=confidentiality")
                : Finding.ok("lockdown", modes.replaceAll(".*\\[(\\w+)].*", "$1"));
    }
}
