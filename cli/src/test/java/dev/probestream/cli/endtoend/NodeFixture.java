package dev.probestream.cli.endtoend;

import dev.probestream.cli.node.NodeBinary;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;

/** The fixture opens.js or another one of its kind, running; does what it is asked and answers. */
final class NodeFixture implements AutoCloseable {
    private static final String SCRIPTS = "/testdata/node/";
    private static final String OPENS = "opens.js";

    private final Process process;
    private final BufferedReader output;
    private final Writer input;
    private final String greeting;

    private NodeFixture(Process process) throws IOException {
        this.process = process;
        this.output = process.inputReader(StandardCharsets.UTF_8);
        this.input = process.outputWriter(StandardCharsets.UTF_8);
        this.greeting = receive();
    }

    /** Copies the script into {@code folder} and starts it with {@code node}. */
    static NodeFixture start(NodeBinary node, Path folder) throws IOException {
        return start(node, folder, OPENS);
    }

    /** The same with another script of the fixtures, which may lie in a folder of its own. */
    static NodeFixture start(NodeBinary node, Path folder, String script) throws IOException {
        return start(new ProcessBuilder(
                node.path().toString(), copied(folder, script).toString()));
    }

    /** The same with any command that becomes such a program. */
    static NodeFixture start(ProcessBuilder command) throws IOException {
        return new NodeFixture(
                command.redirectError(ProcessBuilder.Redirect.INHERIT).start());
    }

    static NodeFixture start(Path folder) throws IOException {
        return start(installedNode(), folder);
    }

    /** Where the script lies now. */
    static Path script(Path folder) throws IOException {
        return copied(folder, OPENS);
    }

    /** Copies the fixture of this name to the same place below {@code folder}. */
    static Path copied(Path folder, String name) throws IOException {
        Path script = folder.resolve(name);
        Files.createDirectories(script.getParent());
        try (InputStream source = Objects.requireNonNull(NodeFixture.class.getResourceAsStream(SCRIPTS + name), name)) {
            Files.write(script, source.readAllBytes());
        }
        return script;
    }

    /** The node in PATH; without one the test cannot be run. */
    static NodeBinary installedNode() {
        Optional<NodeBinary> node = NodeBinary.inPath(System.getenv("PATH"));
        Assumptions.assumeTrue(node.isPresent(), "there is no node in PATH");
        return node.orElseThrow();
    }

    /** What it said first, when it was ready. */
    String greeting() {
        return greeting;
    }

    String pid() {
        return String.valueOf(process.pid());
    }

    /** Sends a line and waits for the answer. */
    String ask(String line) throws IOException {
        send(line);
        return receive();
    }

    void send(String line) throws IOException {
        input.write(line + "\n");
        input.flush();
    }

    /** Waits until the process has ended. */
    void awaitEnd() {
        process.onExit().join();
    }

    private String receive() throws IOException {
        String line = output.readLine();
        if (line == null) {
            throw new IOException("node closed its output instead of answering");
        }
        return line;
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }
}
