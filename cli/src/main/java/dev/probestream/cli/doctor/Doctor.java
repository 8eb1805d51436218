package dev.probestream.cli.doctor;

import dev.probestream.bpf.machine.Capability;
import dev.probestream.bpf.machine.Confinement;
import dev.probestream.cli.node.NodeBinary;
import dev.probestream.collector.probe.ResolveException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Checks this machine: kernel, privileges, file systems, Node.js. */
final class Doctor {
    private final Path root;
    private final String path;

    private Doctor(Path root, String path) {
        this.root = root;
        this.path = path;
    }

    /** Reads /proc and /sys below {@code root}, which is {@code /} except in tests. */
    public static Doctor ofThisMachine(Path root) {
        return new Doctor(root, System.getenv().getOrDefault("PATH", ""));
    }

    /** Runs all checks. */
    public DoctorReport check() {
        Set<Capability> capabilities = Capability.inEffect();
        List<CheckResult> results = new ArrayList<>();
        results.addAll(new KernelChecks(root).run());
        if (Permission.missing(capabilities).isEmpty()) {
            results.addAll(FeatureChecks.run());
        } else {
            // Without capabilities every check of the kernel fails with EPERM.
            results.add(CheckResult.limited("BPF", "not checked: capabilities are missing", "run doctor as root"));
        }
        results.addAll(new PrivilegeChecks(root, capabilities).run());
        results.addAll(new ConfinementChecks(Confinement.read(root)).run());
        results.addAll(new FileSystemChecks(root, capabilities).run());
        results.add(node());
        return new DoctorReport(results);
    }

    /**
     * Checks one process.
     *
     * @throws ResolveException if there is no such process
     */
    public static DoctorReport checkProcess(int pid) throws ResolveException {
        return new DoctorReport(TargetChecks.run(pid));
    }

    /** The Node.js that a shell would start. */
    private CheckResult node() {
        Optional<NodeBinary> node = NodeBinary.inPath(path);
        return node.map(binary -> binary.version()
                        .map(version -> CheckResult.ok("node", version + " at " + binary.path()))
                        .orElse(CheckResult.limited(
                                "node", binary.path() + " does not print its version", "reinstall Node.js")))
                .orElse(CheckResult.limited("node", "not in PATH: no demo", NodeBinary.HOW_TO_GET));
    }
}
