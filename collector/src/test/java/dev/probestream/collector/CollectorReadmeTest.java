package dev.probestream.collector;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.KernelTest;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compiles the Java program in README.md and runs it. */
class CollectorReadmeTest {
    private static final Pattern JAVA = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
    private static final String CLASS_PATH =
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));

    @TempDir
    private Path folder;

    @Test
    @KernelTest(since = "5.10")
    void programInTheReadmePrintsEveryCall() throws Exception {
        compile(program());
        CProgram calls = CProgram.compile(folder, "bpf/calls");
        try (CProgram.Running process = calls.start()) {
            Process watcher =
                    start(String.valueOf(process.pid()), "span:" + calls.executable() + ":greet (path=arg1:str)");
            try (BufferedReader output = watcher.inputReader();
                    Writer input = watcher.outputWriter()) {
                String line = firstLine(process, output);
                assertThat(line).matches("greet attached\\? took \\d+ ns");
                process.ask("greet hello");
                input.write("\n");
                input.flush();

                List<String> lines = output.lines().toList();
                assertThat(lines)
                        .filteredOn(text -> text.startsWith("greet hello took "))
                        .hasSize(1);
                assertThat(lines.get(lines.size() - 1)).matches("\\d+ events, 0 lost");
                assertThat(watcher.waitFor()).isZero();
            } finally {
                watcher.destroyForcibly();
            }
        }
    }

    @Test
    void programInTheReadmeIsShortAndUsesThePublicApiOnly() throws Exception {
        String program = program();
        assertThat(program).doesNotContain("internal");
        String body = program.substring(program.indexOf("main("));
        assertThat(body.lines().filter(line -> !line.matches("[ }]*")).count()).isLessThanOrEqualTo(15);
    }

    /** Calls the function until the first call is printed: only then the probe is in place. */
    private static String firstLine(CProgram.Running process, BufferedReader output) throws Exception {
        long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
        while (!output.ready()) {
            assertThat(System.nanoTime()).isLessThan(endNs);
            process.ask("greet attached?");
            Thread.sleep(20);
        }
        return output.readLine();
    }

    private static String program() throws IOException {
        // Maven runs tests in the module's folder.
        Matcher java = JAVA.matcher(Files.readString(Path.of("README.md")));
        assertThat(java.find()).isTrue();
        return java.group(1);
    }

    private void compile(String program) throws IOException {
        Path source = Files.writeString(folder.resolve("WatchCalls.java"), program);
        int result = ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "-proc:none", "-cp", CLASS_PATH, "-d", folder.toString(), source.toString());
        assertThat(result).isZero();
    }

    private Process start(String... arguments) throws IOException {
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        ProcessBuilder builder = new ProcessBuilder(java.toString(), "-cp", folder + ":" + CLASS_PATH, "WatchCalls");
        builder.command().addAll(List.of(arguments));
        return builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }
}
