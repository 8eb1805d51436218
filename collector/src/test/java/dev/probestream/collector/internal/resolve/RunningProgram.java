package dev.probestream.collector.internal.resolve;

import dev.probestream.collector.internal.process.Target;
import dev.probestream.collector.probe.ResolveException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** A started program that has printed its first line and now waits for its stdin to end; killed when closed. */
public final class RunningProgram implements AutoCloseable {
    private final Process process;
    private final String firstLine;

    private RunningProgram(Process process, String firstLine) {
        this.process = process;
        this.firstLine = firstLine;
    }

    public static RunningProgram start(String... command) throws IOException {
        return start(Map.of(), command);
    }

    public static RunningProgram start(Map<String, String> environment, String... command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(List.of(command)).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().putAll(environment);
        Process process = builder.start();
        BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
        String line = output.readLine();
        if (line == null) {
            throw new IOException(String.join(" ", command) + " ended without a word");
        }
        return new RunningProgram(process, line);
    }

    public int pid() {
        return Math.toIntExact(process.pid());
    }

    public String firstLine() {
        return firstLine;
    }

    public Target target() throws ResolveException {
        return Target.of(pid());
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }
}
