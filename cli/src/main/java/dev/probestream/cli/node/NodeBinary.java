package dev.probestream.cli.node;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/**
 * An executable named node.
 *
 * @param path its path, as found
 */
public record NodeBinary(Path path) {
    /** The advice for a user without Node.js. */
    public static final String HOW_TO_GET =
            "install Node.js 18 or newer: 'apt-get install nodejs', 'npm install node@22' or https://nodejs.org/";

    /** The first executable {@code node} in the folders of {@code searchPath}, which is separated by colons. */
    public static Optional<NodeBinary> inPath(String searchPath) {
        return Arrays.stream(searchPath.split(":"))
                .map(folder -> Path.of(folder.isEmpty() ? "." : folder, "node"))
                .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
                .findFirst()
                .map(NodeBinary::new);
    }

    /** What {@code node --version} prints, for example {@code v20.20.2}; empty for any other output. */
    public Optional<String> version() {
        try {
            Process process = new ProcessBuilder(path.toString(), "--version")
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            process.getOutputStream().close();
            try (BufferedReader reader = process.inputReader()) {
                return Optional.ofNullable(reader.readLine()).filter(line -> line.startsWith("v"));
            }
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
