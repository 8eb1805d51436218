package dev.probestream.bench.probe;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A tracing command that runs as a separate process until it is ended. */
public final class Tool implements AutoCloseable {
    /** Takes what it prints, and keeps nothing. */
    public static final Path NOWHERE = Path.of("/dev/null");

    private static final long PATIENCE_NS = TimeUnit.MINUTES.toNanos(3);
    private static final long PATIENCE_OF_END_MS = TimeUnit.MINUTES.toMillis(5);
    private static final long LOOK_EVERY_MS = 5;
    private static final long SIGNAL_AGAIN_MS = 1000;

    private final String name;
    private final Process process;
    private final Path output;
    private final Path messages;

    private Tool(String name, Process process, Path output, Path messages) {
        this.name = name;
        this.process = process;
        this.output = output;
        this.messages = messages;
    }

    /** Something to wait for. */
    @FunctionalInterface
    public interface Condition {
        boolean holds() throws IOException;
    }

    /**
     * Starts it.
     *
     * @param folder for its messages
     * @param output takes what it prints: {@link #NOWHERE} or a file
     */
    public static Tool start(Path folder, Path output, List<String> command) throws IOException {
        Path messages = Files.createTempFile(folder, "messages", ".err");
        Process process = new ProcessBuilder(command)
                .redirectInput(new File("/dev/null"))
                .redirectOutput(output.toFile())
                .redirectError(messages.toFile())
                .start();
        return new Tool(command.get(0), process, output, messages);
    }

    public long pid() {
        return process.pid();
    }

    /** The CPU time of all its threads so far, in steps of 10 ms. */
    public long cpuNs() {
        return process.info().totalCpuDuration().map(Duration::toNanos).orElse(0L);
    }

    /** Its error stream so far. */
    public String messages() throws IOException {
        return Files.readString(messages);
    }

    /** What it printed into its file so far; the last character may be cut, and texts of the target be no UTF-8. */
    public String output() throws IOException {
        return new String(Files.readAllBytes(output), StandardCharsets.UTF_8);
    }

    /** How long its file is so far. */
    long outputBytes() throws IOException {
        return Files.size(output);
    }

    /** Waits, looking again and again. Fails if the command ends first. */
    public void await(String what, Condition condition) throws IOException {
        long giveUpNs = System.nanoTime() + PATIENCE_NS;
        while (!condition.holds()) {
            if (endsWithin(LOOK_EVERY_MS) || System.nanoTime() - giveUpNs > 0) {
                throw new IOException("wait for " + name + " to " + what + ": " + messages());
            }
        }
    }

    /** Ends it by one signal, and waits until it has written all: a second one would end it at once. */
    public void finish() throws IOException {
        process.destroy();
        awaitEnd();
    }

    /** Waits until it ends by itself; fails if that takes too long or its exit code is another one than 0. */
    public void awaitEnd() throws IOException {
        if (!endsWithin(PATIENCE_OF_END_MS)) {
            throw new IOException("wait for the end of " + name + ": " + messages());
        }
        if (process.exitValue() != 0) {
            throw new IOException(name + ": exit code " + process.exitValue() + ": " + messages());
        }
    }

    /** Ends it. A signal that comes while bpftrace is about to start polling gets lost in it, so more may be needed. */
    @Override
    public void close() {
        do {
            process.destroy();
        } while (!endsWithin(SIGNAL_AGAIN_MS));
    }

    private boolean endsWithin(long ms) {
        try {
            return process.waitFor(ms, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted while " + name + " runs", e);
        }
    }
}
