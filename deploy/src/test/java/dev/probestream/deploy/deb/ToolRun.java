package dev.probestream.deploy.deb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** A tool of the machine that has run: its exit code, and all that it printed. */
public record ToolRun(int exitCode, String output) {
    public static ToolRun of(List<String> command, Map<String, String> environment, String input)
            throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(environment);
        Process process = builder.start();
        try (OutputStream stdin = process.getOutputStream()) {
            stdin.write(input.getBytes(StandardCharsets.UTF_8));
        }
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new ToolRun(process.waitFor(), output);
    }

    /** What a tool prints that succeeds. */
    public static String output(String... command) throws IOException, InterruptedException {
        ToolRun run = of(List.of(command), Map.of(), "");
        assertThat(run.exitCode()).as(run.output()).isZero();
        return run.output();
    }

    /** Skips the test without one of these tools; on CI the test goes on, and fails. */
    public static void require(String... tools) {
        for (String tool : tools) {
            assumeTrue(isInPath(tool) || "true".equals(System.getenv("CI")), "there is no " + tool + " in PATH");
        }
    }

    private static boolean isInPath(String tool) {
        return Arrays.stream(Objects.requireNonNull(System.getenv("PATH")).split(":"))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, tool)));
    }
}
