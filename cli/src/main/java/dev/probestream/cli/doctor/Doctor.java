package dev.probestream.cli.doctor;

import dev.probestream.cli.privilege.Capabilities;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Examines one machine, from its kernel to its Node.js. */
public final class Doctor {
    private final Path root;
    private final String path;

    private Doctor(Path root, String path) {
        this.root = root;
        this.path = path;
    }

    /** Looks at /proc and /sys below {@code root}; {@code /} but in tests. */
    public static Doctor ofThisMachine(Path root) {
        return new Doctor(root, System.getenv().getOrDefault("PATH", ""));
    }

    /**
     * Looks at everything.
     *
     * @throws IOException when /proc itself cannot be read
     */
    public Report examine() throws IOException {
        Capabilities capabilities = Capabilities.ofThisProcess(root);
        List<Finding> findings = new ArrayList<>();
        findings.addAll(new KernelChecks(root).examine());
        findings.addAll(new PrivilegeChecks(root, capabilities).examine());
        findings.addAll(new FileSystemChecks(root, capabilities).examine());
        findings.add(NodeCheck.examine(path));
        return new Report(findings);
    }
}
