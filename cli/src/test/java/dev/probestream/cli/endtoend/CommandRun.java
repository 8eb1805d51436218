package dev.probestream.cli.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** One run of the command line, in a JVM of its own: what it says, how it ends. */
final class CommandRun implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 120;

    private final Process process;
    private final BufferedReader err;
    private CompletableFuture<String> out = new CompletableFuture<>();
    private final CompletableFuture<String> firstLineOut = new CompletableFuture<>();
    private final List<String> said = new ArrayList<>();
    private boolean isOutRead;

    private CommandRun(Process process) {
        this.process = process;
        this.err = process.errorReader(StandardCharsets.UTF_8);
    }

    /** Begins to read what it writes on standard output. */
    CommandRun readOut() {
        isOutRead = true;
        out = CompletableFuture.supplyAsync(() -> readOut(process.inputReader(StandardCharsets.UTF_8)));
        return this;
    }

    private String readOut(BufferedReader reader) {
        StringBuilder all = new StringBuilder();
        try {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                all.append(line).append('\n');
                firstLineOut.complete(line);
            }
        } catch (IOException e) {
            all.append("(standard output could not be read: ")
                    .append(e.getMessage())
                    .append(")");
        }
        firstLineOut.complete("(it ended without a word on standard output)");
        return all.toString();
    }

    /** How a shell starts it; for arguments without a quote. */
    static String commandLine(String... arguments) {
        List<String> command = new ArrayList<>(java());
        command.addAll(List.of(arguments));
        return command.stream().map(word -> "'" + word + "'").collect(Collectors.joining(" "));
    }

    private static List<String> java() {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                "dev.probestream.cli.Main");
    }

    /** Starts {@code probestream ARGUMENTS}. */
    static CommandRun start(String... arguments) throws IOException {
        return start(List.of(), List.of(arguments));
    }

    /** The same behind another command, such as one that drops privileges. */
    static CommandRun start(List<String> before, List<String> arguments) throws IOException {
        return startUnread(before, arguments).readOut();
    }

    /** The same; nobody reads its standard output until {@link #readOut}. */
    static CommandRun startUnread(List<String> before, List<String> arguments) throws IOException {
        // A shell without job control starts what runs in its background with SIGINT ignored, and a JVM heeds that.
        List<String> command = new ArrayList<>(List.of("env", "--default-signal=INT,HUP"));
        command.addAll(before);
        command.addAll(java());
        command.addAll(arguments);
        return new CommandRun(new ProcessBuilder(command).start());
    }

    /** Runs to the end. */
    static CommandRun run(String... arguments) throws IOException, InterruptedException {
        CommandRun run = start(arguments);
        run.end();
        return run;
    }

    /** Waits until it says a line that starts so, on standard error. */
    CommandRun await(String start) throws IOException {
        for (String line = err.readLine(); line != null; line = err.readLine()) {
            said.add(line);
            if (line.startsWith(start)) {
                return this;
            }
        }
        throw new IOException("it ended without saying '" + start + "'; it said " + said);
    }

    /** Waits until it says a line that holds this, on standard error, and gives the line: services begin theirs with the time. */
    String awaitLineWith(String text) throws IOException {
        for (String line = err.readLine(); line != null; line = err.readLine()) {
            said.add(line);
            if (line.contains(text)) {
                return line;
            }
        }
        throw new IOException("it ended without saying '" + text + "'; it said " + said);
    }

    /** Waits for its first word about events: every probe is in place then. */
    CommandRun awaitRecording() throws IOException {
        return await("recording with ");
    }

    /** Waits until it writes a line that starts so on standard output, and reads no further (but for a buffer's worth). */
    CommandRun awaitOut(String start) throws IOException {
        BufferedReader reader = process.inputReader(StandardCharsets.UTF_8);
        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
            if (line.startsWith(start)) {
                return this;
            }
        }
        throw new IOException("it ended without writing '" + start + "'");
    }

    /** Reads no more of its standard output, as {@code head} does when it has its lines. */
    CommandRun closeOut() throws IOException {
        process.getInputStream().close();
        isOutRead = true;
        out = CompletableFuture.completedFuture("");
        return this;
    }

    /** Sends SIGTERM. */
    CommandRun terminate() {
        // Process.destroy() would close its streams too.
        process.toHandle().destroy();
        return this;
    }

    /** Sends SIGINT, as Ctrl-C does. */
    CommandRun interrupt() throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-INT", String.valueOf(process.pid()))
                .start()
                .waitFor();
        return this;
    }

    /** Waits for its end and gives the exit code. */
    int end() throws IOException, InterruptedException {
        for (String line = err.readLine(); line != null; line = err.readLine()) {
            said.add(line);
        }
        if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IOException("it still ran after " + PATIENCE_SECONDS + " s; it said " + said);
        }
        if (!isOutRead) {
            readOut(); // what it left in the pipe
        }
        assertNoStackTrace();
        return process.exitValue();
    }

    /** What it wrote on standard error, line by line. */
    List<String> said() {
        return said;
    }

    /** Waits for its first line on standard output. */
    String firstLineOut() {
        return firstLineOut.join();
    }

    String out() {
        return out.join();
    }

    int exitCode() {
        return process.exitValue();
    }

    private void assertNoStackTrace() {
        assertThat(said).noneMatch(line -> line.startsWith("\tat ") || line.contains("Exception"));
        // Its results may well hold the names of functions such as ThrowException.
        assertThat(Arrays.asList(out().split("\n"))).noneMatch(line -> line.startsWith("\tat "));
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }
}
