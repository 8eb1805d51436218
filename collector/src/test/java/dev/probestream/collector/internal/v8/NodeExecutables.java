package dev.probestream.collector.internal.v8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/**
 * The executables of Node.js that tests run: the one in PATH and, in the deep tier, node18, node20 ... in the folder that
 * the environment variable PROBESTREAM_NODES names.
 */
public final class NodeExecutables {
    /** Set by Maven's profile {@code deep}. */
    private static final boolean IS_DEEP = Boolean.getBoolean("probestream.tests.deep");

    private NodeExecutables() {}

    public static List<Path> all() throws IOException {
        List<Path> nodes = new ArrayList<>();
        nodes.add(installed());
        String folder = System.getenv("PROBESTREAM_NODES");
        if (IS_DEEP && folder != null) {
            try (Stream<Path> files = Files.list(Path.of(folder))) {
                files.filter(file -> file.getFileName().toString().matches("node\\d+") && Files.isExecutable(file))
                        .sorted()
                        .forEach(nodes::add);
            }
        }
        return nodes;
    }

    /** The node in PATH; without one, the test is skipped, except on CI. */
    public static Path installed() throws IOException {
        for (String folder : System.getenv("PATH").split(":")) {
            Path node = Path.of(folder, "node");
            if (Files.isExecutable(node)) {
                return node.toRealPath();
            }
        }
        Assumptions.assumeTrue("true".equals(System.getenv("CI")), "needs node on the PATH");
        throw new IOException(
                "no node in " + Arrays.toString(System.getenv("PATH").split(":")));
    }
}
