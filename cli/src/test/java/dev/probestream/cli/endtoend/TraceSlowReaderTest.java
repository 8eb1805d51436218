package dev.probestream.cli.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** trace into a pipe that nobody reads for a while. */
@KernelTest(since = "5.8")
@Timeout(180)
class TraceSlowReaderTest {
    /** More than the ring (4 MiB) and the pipe (64 KiB) have room for. */
    private static final int CALLS = 200_000;

    private static final String BEGUN = "tracing with 1 probe";
    /** It takes some 3 seconds; an idle machine is not presupposed. */
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(60);

    private static final Pattern LOST = Pattern.compile("printed ([\\d,]+) lines? of .* ([\\d,]+) LOST");
    private static final Pattern REFUSED = Pattern.compile("the reader stopped reading: the last ([\\d,]+) .*");

    @TempDir
    private static Path folder;

    private static CProgram calls;

    @BeforeAll
    static void compile() throws Exception {
        calls = CProgram.compile(folder, "trace/calls");
    }

    @Test
    void theTargetGoesOnAndWhatWasNotPrintedIsCounted() throws Exception {
        try (CProgram.Running program = start();
                CommandRun trace = trace(program, List.of())) {
            trace.await(BEGUN);
            // The answer comes although nobody reads: the target was not held up.
            assertThat(program.ask(String.valueOf(CALLS))).isEqualTo("done");
            trace.readOut();
            trace.awaitLineWith(" events lost since ");
            assertThat(trace.interrupt().end()).isZero();

            long printed = trace.out().lines().count() - 1;
            assertThat(printed).isEqualTo(count(trace, LOST, 1));
            assertThat(printed + count(trace, LOST, 2)).isEqualTo(CALLS);
            assertThat(trace.said()).anyMatch(line -> line.endsWith("use a filter, or write the lines to a file"));
        }
    }

    @Test
    void ctrlCEndsItAlthoughNobodyReads() throws Exception {
        try (CProgram.Running program = start();
                CommandRun trace = trace(program, List.of())) {
            trace.await(BEGUN);
            program.ask(String.valueOf(CALLS));
            long beginNs = System.nanoTime();

            assertThat(trace.interrupt().end()).isZero();
            assertThat(System.nanoTime() - beginNs).isLessThan(PATIENCE_NS);
            assertThat(count(trace, LOST, 1) + count(trace, LOST, 2) + count(trace, REFUSED, 1))
                    .isEqualTo(CALLS);
        }
    }

    @Test
    void sigtermEndsItAlthoughNobodyReadsWhatItSaysEither() throws Exception {
        try (CProgram.Running program = start();
                CommandRun trace = trace(program, List.of("bash", "-c", "exec \"$@\" 2>&1", "-"))) {
            trace.awaitOut(BEGUN);
            program.ask(String.valueOf(CALLS));
            long beginNs = System.nanoTime();

            assertThat(trace.terminate().end()).isZero();
            assertThat(System.nanoTime() - beginNs).isLessThan(PATIENCE_NS);
        }
    }

    private static CProgram.Running start() throws IOException {
        CProgram.Running program = calls.start();
        program.receive();
        return program;
    }

    private static CommandRun trace(CProgram.Running program, List<String> before) throws IOException {
        return CommandRun.startUnread(
                before,
                List.of("trace", "-p", String.valueOf(program.pid()), "uprobe:work(path=arg1:str, n=arg2:s32)"));
    }

    private static long count(CommandRun trace, Pattern pattern, int group) {
        return trace.said().stream()
                .map(pattern::matcher)
                .filter(Matcher::find)
                .mapToLong(found -> Long.parseLong(found.group(group).replace(",", "")))
                .findFirst()
                .orElseThrow();
    }
}
