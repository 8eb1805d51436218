package dev.probestream.deploy.manual;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Programs of the machine that read what was generated. */
final class Tool {
    private static final long SECONDS = 120;

    private Tool() {}

    /** Skips the test if a program is missing; with CI=true it fails. */
    static void require(String... programs) {
        for (String program : programs) {
            boolean isThere = Stream.of(System.getenv("PATH").split(":"))
                    .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
            if ("true".equals(System.getenv("CI"))) {
                assertThat(isThere).as(program + " is in PATH").isTrue();
            }
            assumeTrue(isThere, "there is no " + program);
        }
    }

    /** What a program prints, both streams together; it must end with 0. */
    static String output(Path folder, String... command) throws IOException, InterruptedException {
        return run(folder, 0, command);
    }

    /** The same for a program that may end with any of its codes up to {@code highest}. */
    static String run(Path folder, int highest, String... command) throws IOException, InterruptedException {
        Path output = Files.createTempFile(folder, "output", ".txt");
        ProcessBuilder builder = new ProcessBuilder(List.of(command))
                .directory(folder.toFile())
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().putAll(Map.of("LC_ALL", "C.UTF-8", "MANWIDTH", "80", "HOME", folder.toString()));
        Process process = builder.start();
        try {
            assertThat(process.waitFor(SECONDS, TimeUnit.SECONDS))
                    .as(List.of(command) + " ends")
                    .isTrue();
        } finally {
            process.destroyForcibly();
        }
        String printed = Files.readString(output, StandardCharsets.UTF_8);
        assertThat(process.exitValue()).as(printed).isLessThanOrEqualTo(highest);
        return printed;
    }
}
