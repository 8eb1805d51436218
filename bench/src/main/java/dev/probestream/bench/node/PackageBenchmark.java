package dev.probestream.bench.node;

import dev.probestream.bench.measure.Benchmark;
import dev.probestream.bench.measure.Folder;
import dev.probestream.bench.measure.ResultTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** What the npm package of the folder {@code node} costs a server, without and with a tracer attached. */
public final class PackageBenchmark implements Benchmark {
    /** Property with the path of the launcher; {@code bench/run} sets it. */
    private static final String HOME = "probestream.home";

    private static final int ROUNDS = 5;

    private final Path home = Path.of(System.getProperty(HOME, ".")).toAbsolutePath();

    @Override
    public String name() {
        return "package";
    }

    @Override
    public String about() {
        return "a hello-world server without the npm package, without it again (the noise), with it, and traced by it";
    }

    @Override
    public void run(ResultTable table) throws IOException, InterruptedException {
        Path nodePackage = home.resolve("node");
        build(nodePackage);
        List<String> argument = List.of(nodePackage.toString());
        List<String> tracing = List.of(
                home.resolve("probestream").toString(),
                "trace",
                "usdt:node:http__server__request",
                "usdt:node:http__server__response");
        PackageServer without = new PackageServer("without", "server.js", List.of(), List.of());
        PackageServer again = new PackageServer("without, again", "server.js", List.of(), List.of());
        PackageServer with = new PackageServer("with", "server-with-package.js", argument, List.of());
        PackageServer traced = new PackageServer("with, traced", "server-with-package.js", argument, tracing);
        try (Folder folder = Folder.create()) {
            for (int round = 0; round < ROUNDS; round++) {
                without.round(folder.path());
                with.round(folder.path());
                again.round(folder.path());
                traced.round(folder.path());
            }
        }
        without.fill(table);
        again.fill(table, without);
        with.fill(table, without);
        traced.fill(table, without);
        table.note(ROUNDS + " rounds in turn, each with new processes. Server and load share the machine's CPUs;"
                + " the server's CPU time is what its own threads pay. Traced: our trace prints each request and each"
                + " response, with all arguments, to /dev/null. Ratios: round by round, the median.");
    }

    /** Compiles the package where it lies, for the node in PATH; every version can load the result. */
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
