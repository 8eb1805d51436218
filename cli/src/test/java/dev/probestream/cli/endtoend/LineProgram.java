package dev.probestream.cli.endtoend;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A running program that says "ready", then answers each line with a line, and ends at the end of its input. */
final class LineProgram implements AutoCloseable {
    private final Process process;
    private final BufferedReader output;
    private final Writer input;

    private LineProgram(Process process) {
        this.process = process;
        this.output = process.inputReader(StandardCharsets.UTF_8);
        this.input = process.outputWriter(StandardCharsets.UTF_8);
    }

    /** Starts it and waits until it is ready. */
    static LineProgram start(List<String> command) throws IOException {
        LineProgram program = new LineProgram(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
        program.receive();
        return program;
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

    /** Ends its input, and so the program. */
    void end() throws IOException {
        input.close();
        process.onExit().join();
    }

    String receive() throws IOException {
        String line = output.readLine();
        if (line == null) {
            throw new IOException("process " + process.pid() + " closed its output instead of answering");
        }
        return line;
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }
}
