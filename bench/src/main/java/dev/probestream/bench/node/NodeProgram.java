package dev.probestream.bench.node;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** A script of the benchmarks, run by a node; it is asked by lines and answers by lines. */
public final class NodeProgram implements AutoCloseable {
    private final String script;
    private final Process process;
    private final BufferedReader output;
    private final Writer input;
    private final String firstLine;

    private NodeProgram(String script, Process process) throws IOException {
        this.script = script;
        this.process = process;
        this.output = process.inputReader(StandardCharsets.UTF_8);
        this.input = process.outputWriter(StandardCharsets.UTF_8);
        this.firstLine = answer();
    }

    /**
     * Copies the script into the folder and starts it.
     *
     * @throws IOException when there is no node
     */
    static NodeProgram start(Path folder, String script, String... arguments) throws IOException {
        return start(folder, List.of(), Map.of(), script, arguments);
    }

    /**
     * Copies the scripts into the folder and starts one with others preloaded.
     *
     * @param preloaded other scripts, loaded before it
     * @param environment in addition to that of this process
     * @throws IOException when there is no node
     */
    static NodeProgram start(
            Path folder, List<String> preloaded, Map<String, String> environment, String script, String... arguments)
            throws IOException {
        List<String> command = new ArrayList<>(List.of("node"));
        for (String each : preloaded) {
            command.addAll(List.of("--require", copy(folder, each).toString()));
        }
        command.add(copy(folder, script).toString());
        command.addAll(List.of(arguments));
        copy(folder, "cpu-time.js");
        ProcessBuilder process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        process.environment().putAll(environment);
        return new NodeProgram(script, process.start());
    }

    /**
     * Starts a script that has been copied.
     *
     * @param command a node with its options, the script, and arguments
     */
    public static NodeProgram start(List<String> command) throws IOException {
        return start(command, Map.of());
    }

    /**
     * Starts a script that has been copied.
     *
     * @param command a node with its options, the script, and arguments; or what becomes such a node
     * @param environment in addition to that of this process
     */
    public static NodeProgram start(List<String> command, Map<String, String> environment) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().putAll(environment);
        return new NodeProgram(String.join(" ", command), builder.start());
    }

    /**
     * Copies a script.
     *
     * @param script its path below the folder of scripts, and below {@code folder}
     * @return the copy
     */
    static Path copy(Path folder, String script) throws IOException {
        Path file = folder.resolve(script);
        Files.createDirectories(file.getParent());
        try (InputStream source = Objects.requireNonNull(NodeProgram.class.getResourceAsStream(script), script)) {
            Files.write(file, source.readAllBytes());
        }
        return file;
    }

    public long pid() {
        return process.pid();
    }

    /** The executable that runs it. */
    Path executable() throws IOException {
        return Path.of("/proc", Long.toString(process.pid()), "exe").toRealPath();
    }

    /** Its output when it was ready. */
    public String firstLine() {
        return firstLine;
    }

    public String ask(String line) throws IOException {
        input.write(line + "\n");
        input.flush();
        return answer();
    }

    private String answer() throws IOException {
        String line = output.readLine();
        if (line == null) {
            throw new IOException(script + " ended instead of answering");
        }
        return line;
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }
}
