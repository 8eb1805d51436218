package dev.probestream.cli.endtoend;

import dev.probestream.cli.node.NodeBinary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The versions of Node.js that are there: the one in PATH, and node18, node20 ... in the folder that the environment
 * variable PROBESTREAM_NODES names.
 */
final class NodeVersions {
    private NodeVersions() {}

    static List<NodeBinary> all() throws IOException {
        NodeBinary installed = NodeFixture.installedNode();
        Stream<NodeBinary> others = Stream.empty();
        String folder = System.getenv("PROBESTREAM_NODES");
        if (folder != null) {
            try (Stream<Path> files = Files.list(Path.of(folder))) {
                others = files
                        .filter(file -> file.getFileName().toString().matches("node\\d+") && Files.isExecutable(file))
                        .sorted()
                        .toList()
                        .stream()
                        .map(NodeBinary::new);
            }
        }
        return Stream.concat(Stream.of(installed), others).toList();
    }
}
