package dev.probestream.bpf;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compiles the Java program in README.md and runs it. */
class ReadmeTest {
    private static final Pattern JAVA = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
    private static final String CLASS_PATH =
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));

    @TempDir
    private Path folder;

    @Test
    @KernelTest(since = "5.10")
    void programInTheReadmeCountsEveryCall() throws Exception {
        compile(program());
        CProgram calls = CProgram.compile(folder, "bpf/calls");
        Path object = folder.resolve("calls.bpf.o");
        try (InputStream in = ReadmeTest.class.getResourceAsStream("/testdata/object/calls.bpf.o")) {
            Files.write(object, Objects.requireNonNull(in).readAllBytes());
        }
        try (CProgram.Running process = calls.start()) {
            Process counter =
                    start(object.toString(), calls.executable().toString(), "tick", String.valueOf(process.pid()));
            try (BufferedReader output = counter.inputReader();
                    Writer input = counter.outputWriter()) {
                assertThat(output.readLine()).isEqualTo("Press Enter to stop.");
                process.ask("repeat 1000");
                process.ask("threads 2 500");
                process.ask("other");
                input.write("\n");
                input.flush();

                // Each thread counts from 0, and the object was told to leave out 0 and 1.
                assertThat(output.readLine()).isEqualTo("1994 calls");
                assertThat(output.lines().map(line -> line.replaceFirst("thread [0-9]+ ", "")))
                        .containsExactlyInAnyOrder("at most 999", "at most 499", "at most 499");
                assertThat(counter.waitFor()).isZero();
            } finally {
                counter.destroyForcibly();
            }
        }
    }

    @Test
    void programInTheReadmeUsesThePublicApiOnly() throws Exception {
        assertThat(program()).doesNotContain("internal").contains("import dev.probestream.bpf.kernel.*;");
        assertThat(program().lines().count()).isLessThanOrEqualTo(35);
    }

    private static String program() throws IOException {
        // Maven runs tests in the module's folder.
        Matcher java = JAVA.matcher(Files.readString(Path.of("README.md")));
        assertThat(java.find()).isTrue();
        return java.group(1);
    }

    private void compile(String program) throws IOException {
        Path source = Files.writeString(folder.resolve("CountCalls.java"), program);
        int result = ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "-proc:none", "-cp", CLASS_PATH, "-d", folder.toString(), source.toString());
        assertThat(result).isZero();
    }

    private Process start(String... arguments) throws IOException {
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        ProcessBuilder builder = new ProcessBuilder(java.toString(), "-cp", folder + ":" + CLASS_PATH, "CountCalls");
        builder.command().addAll(List.of(arguments));
        return builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }
}
