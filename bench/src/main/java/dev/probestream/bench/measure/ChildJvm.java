package dev.probestream.bench.measure;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A child JVM that runs for all rounds, so that it keeps its compiled code. It answers each input line with one output
 * line, and exits at the end of its input.
 */
public final class ChildJvm implements AutoCloseable {
    private static final long EXIT_TIMEOUT_S = 20;

    private final String what;
    private final Process process;
    private final BufferedReader output;
    private final Writer input;

    private ChildJvm(String what, Process process) {
        this.what = what;
        this.process = process;
        this.output = process.inputReader(StandardCharsets.UTF_8);
        this.input = process.outputWriter(StandardCharsets.UTF_8);
    }

    /** Starts a main class of this class path. */
    public static ChildJvm start(Class<?> main, List<String> options, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(List.of(arguments));
        return start(main.getSimpleName(), command);
    }

    /** Starts {@code java} with these arguments. */
    public static ChildJvm start(String what, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(arguments);
        return new ChildJvm(
                what,
                new ProcessBuilder(command)
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start());
    }

    /** The next line of its output; waits for it. */
    public String receive() throws IOException {
        String line = output.readLine();
        if (line == null) {
            throw new IOException("the JVM of " + what + " ended instead of answering");
        }
        return line;
    }

    /** Sends a line and waits for the answer. */
    public String ask(String line) throws IOException {
        input.write(line + "\n");
        input.flush();
        return receive();
    }

    /**
     * Sends a line and returns whether the answer starts with a number. It does not if the JVM has ended; with {@code
     * -XX:+ExitOnOutOfMemoryError} the JVM prints a message instead.
     */
    public boolean answers(String line) throws IOException {
        input.write(line + "\n");
        input.flush();
        String answer = output.readLine();
        return answer != null && !answer.isEmpty() && Character.isDigit(answer.charAt(0));
    }

    /** CPU time of all its threads so far; in steps of 10 ms. */
    public long cpuNs() {
        return process.info()
                .totalCpuDuration()
                .map(Duration::toNanos)
                .orElseThrow(() -> new IllegalStateException("no CPU time of the JVM of " + what));
    }

    /** Asks it to end with SIGTERM, and waits until it has. */
    @Override
    public void close() throws IOException {
        process.destroy();
        process.onExit()
                .completeOnTimeout(process, EXIT_TIMEOUT_S, TimeUnit.SECONDS)
                .join();
        process.destroyForcibly().onExit().join();
        try (output) {
            input.close();
        } catch (IOException e) {
            // The child has closed its end of the pipe.
        }
    }

    /** The JVMs of a contest, which end with it. */
    public static final class Group implements AutoCloseable {
        private final Deque<ChildJvm> opened = new ArrayDeque<>();

        public ChildJvm keep(ChildJvm child) {
            opened.push(child);
            return child;
        }

        @Override
        public void close() throws IOException {
            while (!opened.isEmpty()) {
                opened.pop().close();
            }
        }
    }

    /** The work that a {@link ChildJvm} repeats. */
    @FunctionalInterface
    public interface Work {
        /** Does the work once for an input line. */
        WorkTime turn(String line) throws Exception;

        /** Answers each line of the input until that ends. */
        static void serve(Work work) throws Exception {
            PrintStream answers = System.out; // a work may put another in its place meanwhile
            BufferedReader questions = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            @Nullable String line;
            while ((line = questions.readLine()) != null) {
                answers.println(work.turn(line));
            }
        }
    }
}
