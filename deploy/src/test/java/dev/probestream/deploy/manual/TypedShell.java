package dev.probestream.deploy.manual;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/** An interactive shell at a pseudo-terminal of script(1): what is typed is completed by the shell's own line editor. */
final class TypedShell implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(90);

    private final Process process;
    private final StringBuilder shown = new StringBuilder();
    private int commands;

    private TypedShell(Process process) {
        this.process = process;
    }

    static TypedShell start(Path folder, String shell) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder("script", "-qec", shell, "/dev/null")
                .directory(folder.toFile())
                .redirectErrorStream(true);
        builder.environment()
                .putAll(Map.of(
                        "TERM", "dumb", "LC_ALL", "C.UTF-8", "HOME", folder.toString(), "HISTFILE", "/dev/null"));
        TypedShell typed = new TypedShell(builder.start());
        typed.run("stty -echo cols 4000");
        return typed;
    }

    /** Types a line with its tabs and returns what was shown until it had ended. */
    String run(String line) throws IOException, InterruptedException {
        int start = shown.length();
        String end = "ended-" + ++commands;
        type(line + "\n");
        // Not the text that is typed, which the terminal shows as well.
        type("echo ended''-" + commands + "\n");
        long deadlineNs = System.nanoTime() + LIMIT.toNanos();
        while (shown.indexOf(end, start) < 0) {
            assertThat(System.nanoTime())
                    .as("shown in time: " + shown.substring(start))
                    .isLessThan(deadlineNs);
            read();
        }
        return shown.substring(start);
    }

    private void type(String text) throws IOException {
        OutputStream keyboard = process.getOutputStream();
        keyboard.write(text.getBytes(StandardCharsets.UTF_8));
        keyboard.flush();
    }

    private void read() throws IOException, InterruptedException {
        InputStream screen = process.getInputStream();
        int available = screen.available();
        if (available > 0) {
            shown.append(new String(screen.readNBytes(available), StandardCharsets.UTF_8));
        } else {
            assertThat(process.isAlive()).as("the shell runs: " + shown).isTrue();
            Thread.sleep(10);
        }
    }

    @Override
    public void close() throws IOException {
        process.getOutputStream().close();
        process.destroyForcibly();
    }
}
