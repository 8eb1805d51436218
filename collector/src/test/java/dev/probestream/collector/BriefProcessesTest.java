package dev.probestream.collector;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.elf.ElfFixture;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes that end, or execute another program, before anything of them can be read from /proc. */
@KernelTest(since = "5.8")
class BriefProcessesTest {
    private static final int RUNS = 100;

    /** Each program is a library with the probed function and an executable that calls it: the stack has both files. */
    private static final String LIBRARY = "void probed(int n) { __asm__ volatile(\"\" :: \"r\"(n)); }\n";

    private static final String PROGRAM = """
            #include <unistd.h>
            void probed(int n);
            __attribute__((noinline)) void calls(void) { probed(NUMBER); __asm__ volatile(""); }
            int main(int count, char **values) {
                calls();
                if (count > 1) execv(values[1], values + 1);
                _exit(0);
            }
            """;

    @TempDir
    private Path folder;

    @Test
    void stacksOfProcessesThatEndAtOnceHaveFilesAndNames() throws Exception {
        Path library = library();
        Path first = program("first", 1, library);
        Path second = program("second", 2, library);

        SmallRecording recording = SmallRecording.ofCommand(
                folder,
                true,
                List.of("sh", "-c", "for i in $(seq " + RUNS + "); do " + first + " " + second + "; done"),
                "uprobe:" + library + ":probed (n=arg1:s32) [ustack]");
        Recorded recorded = recording.recorded();

        assertThat(recorded.lost()).isZero();
        assertThat(recorded.of("probed")).hasSize(2 * RUNS);
        Map<String, Long> callers = recorded.of("probed").stream()
                .collect(Collectors.groupingBy(
                        event -> event.numbers().get(0) + " " + probedAndMain(recorded, event.stackId()),
                        Collectors.counting()));
        assertThat(callers)
                .containsOnly(
                        Map.entry("1 probed of " + library + ", main of " + first, (long) RUNS),
                        Map.entry("2 probed of " + library + ", main of " + second, (long) RUNS));
    }

    /** Without children: the command is a program that ends at once. */
    @Test
    void stackOfACommandThatEndsAtOnceHasFilesAndNames() throws Exception {
        Path library = library();
        Path first = program("first", 1, library);
        Path second = program("second", 2, library);

        Recorded recorded = SmallRecording.ofCommand(
                        folder,
                        false,
                        List.of(first.toString(), second.toString()),
                        "uprobe:" + library + ":probed (n=arg1:s32) [ustack]")
                .recorded();

        assertThat(recorded.of("probed"))
                .extracting(event -> probedAndMain(recorded, event.stackId()))
                .containsExactly(
                        "probed of " + library + ", main of " + first, "probed of " + library + ", main of " + second);
    }

    /** {@code sh} ends in order, its two children by a signal and with a code. */
    @Test
    void processesHaveTheirExitStatus() throws Exception {
        Recorded recorded = SmallRecording.ofCommand(
                        folder,
                        true,
                        List.of("sh", "-c", "(exec sh -c 'kill -9 $$'); (exec sh -c 'exit 5'); exit 0"),
                        "tracepoint:sched:sched_process_exit")
                .recorded();

        assertThat(recorded.processes.values())
                .extracting(process -> process.getWaitStatus() & 0xff7f)
                .containsExactlyInAnyOrder(9, 5 << 8, 0);
    }

    /** At its first instruction the probed function has no frame, so the kernel may pass over its caller. */
    private static String probedAndMain(Recorded recorded, long stackId) {
        return Objects.requireNonNull(recorded.stacks.get(stackId)).getFrames().stream()
                .filter(frame -> !frame.getSymbol().equals("calls"))
                .limit(2)
                .map(frame -> frame.getSymbol() + " of " + frame.getModule())
                .collect(Collectors.joining(", "));
    }

    private Path library() throws Exception {
        Path library = folder.resolve("libprobed.so");
        compile(folder.resolve("library.c"), LIBRARY, library, "-shared", "-fPIC");
        return library;
    }

    private Path program(String name, int number, Path library) throws Exception {
        Path program = folder.resolve(name);
        compile(folder.resolve(name + ".c"), PROGRAM.replace("NUMBER", "" + number), program, library.toString());
        return program;
    }

    private static void compile(Path file, String source, Path output, String... more) throws Exception {
        ElfFixture.needs("cc");
        Files.writeString(file, source);
        String[] command = {"cc", "-O1", "-fno-omit-frame-pointer", "-o", output.toString(), file.toString()};
        String[] all = Arrays.copyOf(command, command.length + more.length);
        System.arraycopy(more, 0, all, command.length, more.length);
        ElfFixture.run(all);
    }
}
