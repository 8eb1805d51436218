package dev.probestream.cli.doctor;

import dev.probestream.cli.node.NodeBinary;
import java.util.Optional;

/** Which Node.js the user would start. */
final class NodeCheck {
    private NodeCheck() {}

    static CheckResult examine(String path) {
        Optional<NodeBinary> node = NodeBinary.inPath(path);
        return node.map(binary -> binary.version()
                        .map(version -> CheckResult.ok("node", version + " at " + binary.path()))
                        .orElse(CheckResult.limited(
                                "node", binary.path() + " does not say its version", "reinstall Node.js")))
                .orElse(CheckResult.limited("node", "not in PATH: no demo", NodeBinary.HOW_TO_GET));
    }
}
