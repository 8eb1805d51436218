package dev.probestream.bench.node;

import dev.probestream.bench.measure.Options;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A Node to run applications with.
 *
 * @param title for tables
 * @param command the executable and its options
 */
public record NodeVersion(String title, List<String> command) {
    private static final String FOLDER = "PROBESTREAM_NODES";
    /** Whose V8 carries the package's numbers with this option; later ones do without. */
    private static final String WITH_OPTION = "v22.";

    private static final String CARRIES_CONTEXTS = "--experimental-async-context-frame";

    /**
     * The named ones.
     *
     * @param names such as 20, for node20 in the folder that PROBESTREAM_NODES names; empty = the node in PATH
     */
    public static List<NodeVersion> of(List<String> names) throws IOException, InterruptedException {
        if (names.isEmpty()) {
            return List.of(of("node"));
        }
        String folder = Optional.ofNullable(System.getenv(FOLDER))
                .orElseThrow(() -> new Options.WrongUseException(
                        "option --nodes: set " + FOLDER + " to a folder with node18, node20 and so on"));
        List<NodeVersion> versions = new ArrayList<>();
        for (String name : names) {
            Path file = Path.of(folder, "node" + name);
            if (!Files.isExecutable(file)) {
                throw new Options.WrongUseException("option --nodes: " + file + " is not there");
            }
            versions.add(of(file.toString()));
        }
        return List.copyOf(versions);
    }

    private static NodeVersion of(String executable) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(executable, "--version").start();
        String version = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        if (process.waitFor() != 0) {
            throw new IOException(executable + " --version: exit code " + process.exitValue());
        }
        return new NodeVersion(version, List.of(executable));
    }

    /** The path of the node, or its name in PATH. */
    public String executable() {
        return command.get(0);
    }

    /** Without the npm package. */
    public NodeVersion plain() {
        return new NodeVersion("Node " + title, command);
    }

    /** With the npm package of that folder. */
    public NodeVersion with(Path nodePackage) {
        List<String> options = new ArrayList<>(command);
        if (title.startsWith(WITH_OPTION)) {
            options.add(CARRIES_CONTEXTS);
        }
        options.addAll(List.of("-r", nodePackage.toString()));
        return new NodeVersion("Node " + title + " with the package", options);
    }
}
