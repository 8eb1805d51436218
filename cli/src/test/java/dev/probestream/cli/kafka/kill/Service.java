package dev.probestream.cli.kafka.kill;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.cli.endtoend.fixture.CommandJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One {@code probestream ARGUMENTS} in a JVM of its own, which a test may kill, freeze, and ask for its metrics. */
final class Service implements AutoCloseable {
    /** A machine with two cores on which everything starts at once needs most of it. */
    static final Duration TIMEOUT = Duration.ofMinutes(4);

    /** Service commands are asked to end within this. */
    static final Duration END_PATIENCE = Duration.ofSeconds(60);

    private static final Pattern METRICS = Pattern.compile("metrics at (http://\\S+)");
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private final String name;
    private final Process process;
    private final List<String> output = new ArrayList<>();
    private final Thread listener;

    private Service(String name, Process process) {
        this.name = name;
        this.process = process;
        this.listener = new Thread(this::listen, "listens to " + name);
        listener.setDaemon(true);
        listener.start();
    }

    /** With little memory and a compiler that is quick to begin: most of them live for seconds. */
    static Service start(String... arguments) throws IOException {
        return start(List.of("-Xmx256m", "-XX:TieredStopAtLevel=1"), arguments);
    }

    /** With these options for the JVM. */
    static Service start(List<String> jvmOptions, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(CommandJvm.words(jvmOptions));
        command.addAll(List.of(arguments));
        String name = String.join(" ", arguments);
        return new Service(
                name, new ProcessBuilder(command).redirectErrorStream(true).start());
    }

    private void listen() {
        try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                addLine(line);
            }
        } catch (IOException e) {
            addLine("(it could not be heard any longer: " + e.getMessage() + ")");
        }
    }

    private synchronized void addLine(String line) {
        output.add(line);
        notifyAll();
    }

    /** The first match of {@code pattern} in what it has said or says next; fails when it ends or takes too long. */
    Matcher await(Pattern pattern) throws IOException, InterruptedException {
        return awaitAfter(0, pattern);
    }

    /** The same in the lines after the first {@code lineCount}. */
    Matcher awaitAfter(int lineCount, Pattern pattern) throws IOException, InterruptedException {
        long deadlineNs = System.nanoTime() + TIMEOUT.toNanos();
        int next = lineCount;
        while (true) {
            boolean isOver = !listener.isAlive();
            if (isOver) {
                process.waitFor(); // its output ends a little before it
            }
            synchronized (this) {
                for (; next < output.size(); next++) {
                    Matcher matcher = pattern.matcher(output.get(next));
                    if (matcher.find()) {
                        return matcher;
                    }
                }
                if (isOver || System.nanoTime() > deadlineNs) {
                    throw new IOException(name + (isOver ? " ended" : " went on") + " without saying '" + pattern
                            + "'; it said " + output);
                }
                wait(100);
            }
        }
    }

    Matcher await(String words) throws IOException, InterruptedException {
        return await(Pattern.compile(words, Pattern.LITERAL));
    }

    /** What it has said so far, line by line. */
    synchronized List<String> output() {
        return List.copyOf(output);
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** SIGKILL; returns when it is gone. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
        listener.join();
    }

    /** SIGSTOP. */
    void freeze() throws IOException, InterruptedException {
        signal("STOP");
    }

    /** SIGCONT. */
    void thaw() throws IOException, InterruptedException {
        signal("CONT");
    }

    /** SIGTERM; it must end within {@link #END_PATIENCE}, with exit code 0. */
    void terminate() throws IOException, InterruptedException {
        signal("TERM");
        if (!process.waitFor(END_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new IOException(
                    name + " still runs " + END_PATIENCE.toSeconds() + " s after SIGTERM; it said " + output());
        }
        listener.join();
        assertThat(process.exitValue()).as("%s said %s", name, output()).isZero();
        assertNoStackTrace();
    }

    /** Waits until it ends by itself and gives the exit code. */
    int end() throws IOException, InterruptedException {
        if (!process.waitFor(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new IOException(name + " still runs after " + TIMEOUT.toSeconds() + " s; it said " + output());
        }
        listener.join();
        assertNoStackTrace();
        return process.exitValue();
    }

    private void assertNoStackTrace() {
        assertThat(output()).noneMatch(line -> line.startsWith("\tat ") || line.contains("Exception"));
    }

    private void signal(String signal) throws IOException, InterruptedException {
        int status = new ProcessBuilder("kill", "-" + signal, String.valueOf(process.pid()))
                .start()
                .waitFor();
        assertThat(status)
                .as("kill -%s of %s, which said %s", signal, name, output())
                .isZero();
    }

    /** What it answers to a scrape; needs {@code --metrics-port 0} among its arguments. */
    MetricsScrape metrics() throws IOException, InterruptedException {
        String address = await(METRICS).group(1);
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(address)).timeout(TIMEOUT).build();
        try {
            return new MetricsScrape(
                    HTTP.send(request, HttpResponse.BodyHandlers.ofString()).body());
        } catch (ConnectException e) {
            throw new IOException(name + " serves no metrics any more; it said " + output(), e);
        }
    }

    /** Live bytes on its heap, after a full collection. */
    long liveHeapBytes() throws IOException, InterruptedException {
        Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        String pid = String.valueOf(process.pid());
        output(jcmd.toString(), pid, "GC.run");
        Matcher used = Pattern.compile("used (\\d+)K").matcher(output(jcmd.toString(), pid, "GC.heap_info"));
        long sumKib = 0;
        int spaces = 0;
        // The young and the tenured generation; metaspace comes third.
        while (spaces < 2 && used.find()) {
            sumKib += Long.parseLong(used.group(1));
            spaces++;
        }
        assertThat(spaces).isEqualTo(2);
        return sumKib << 10;
    }

    private static String output(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
        try {
            listener.join();
        } catch (InterruptedException e) {
            throw new UncheckedIOException(new IOException("interrupted while " + name + " ended", e));
        }
    }
}
