package dev.probestream.bench.node;

import java.io.IOException;
import java.nio.file.Path;

/** Our npm package. */
public final class NodePackage {
    private NodePackage() {}

    /** Compiles it where it lies, for the node in PATH; every version can load the result. */
    public static void build(Path nodePackage) throws IOException, InterruptedException {
        Process node = new ProcessBuilder(
                        "node", nodePackage.resolve("build.js").toString())
                .inheritIO()
                .start();
        if (node.waitFor() != 0) {
            throw new IOException("compile " + nodePackage + ": see above");
        }
    }
}
