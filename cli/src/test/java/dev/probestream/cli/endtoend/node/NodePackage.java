package dev.probestream.cli.endtoend.node;

import dev.probestream.cli.endtoend.fixture.LineProgram;
import dev.probestream.cli.node.NodeBinary;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A copy of the npm package in the top folder {@code node}, compiled.
 *
 * @param folder where it lies
 */
record NodePackage(Path folder) {
    private static final String APPLICATION = "/testdata/node/probed.js";
    private static final List<String> PARTS =
            List.of("package.json", "build.js", "README.md", "lib", "src", "test", "fixtures");
    private static final long PATIENCE_SECONDS = 120;

    /** Copies it into {@code folder} and compiles it as an installation does. */
    static NodePackage build(NodeBinary node, Path folder) throws IOException, InterruptedException {
        // Tests run in the module cli.
        Path source = Path.of("").toAbsolutePath().resolveSibling("node");
        for (String part : PARTS) {
            copy(source.resolve(part), folder.resolve(part));
        }
        NodePackage made = new NodePackage(folder);
        made.run(node, List.of("build.js"));
        return made;
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Path copied = to.resolve(from.relativize(file).toString());
                Files.createDirectories(Objects.requireNonNull(copied.getParent()));
                Files.copy(file, copied);
            }
        }
    }

    /** Its own tests. */
    List<String> tests() throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("test"))) {
            return files.map(file -> folder.relativize(file).toString())
                    .filter(name -> name.endsWith(".test.js"))
                    .sorted()
                    .toList();
        }
    }

    /** What node prints when it is run so in the package's folder; an IOException with that if it fails. */
    String run(NodeBinary node, List<String> arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(node.path().toString()));
        command.addAll(arguments);
        File output = folder.resolve("output").toFile();
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output)
                .start();
        boolean isOver = process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
        process.destroyForcibly();
        String said = Files.readString(output.toPath());
        if (!isOver || process.waitFor() != 0) {
            throw new IOException(command + (isOver ? " failed: " : " still ran: ") + said);
        }
        return said;
    }

    /** Starts an application that has it. */
    LineProgram startApplication(NodeBinary node) throws IOException {
        Path script = folder.resolve("probed.js");
        try (InputStream source =
                Objects.requireNonNull(NodePackage.class.getResourceAsStream(APPLICATION), APPLICATION)) {
            Files.write(script, source.readAllBytes());
        }
        return LineProgram.start(List.of(node.path().toString(), script.toString(), folder.toString()));
    }
}
