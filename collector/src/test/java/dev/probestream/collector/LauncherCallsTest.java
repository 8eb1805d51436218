package dev.probestream.collector;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.collector.histogram.HistogramSpec;
import dev.probestream.collector.histogram.HistogramTable;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.parse.SpecParser;
import dev.probestream.collector.request.HistogramRequest;
import dev.probestream.collector.request.TargetSelection;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A command is held by a shell until its probes are attached. What the shell calls on its way is not the command's. */
@KernelTest(since = "5.8")
class LauncherCallsTest {
    private static final List<String> COMMAND = List.of("true");

    @TempDir
    private Path folder;

    @Test
    void callsBeforeTheExecAreNotRecorded() throws Exception {
        for (boolean followChildren : List.of(false, true)) {
            Recorded recorded = SmallRecording.ofCommand(
                            folder,
                            followChildren,
                            COMMAND,
                            "syscalls:all",
                            "uprobe:libc.so.6:malloc /comm == \"sh\"/",
                            "tracepoint:sched:sched_process_exec")
                    .recorded();

            assertThat(recorded.of("malloc")).isEmpty();
            assertThat(recorded.of("rt_sigaction")).isEmpty();
            assertThat(recorded.of("execve")).isEmpty();
            assertThat(recorded.of("brk")).isNotEmpty();
            assertThat(recorded.of("exit_group")).hasSize(1);
            assertThat(recorded.lost()).isZero();
        }
    }

    @Test
    void callsBeforeTheExecAreNotCounted() throws Exception {
        ProbeSpec calls = SpecParser.parse("tracepoint:raw_syscalls:sys_enter(id=id:s64)");
        HistogramRequest request = new HistogramRequest(
                TargetSelection.ofCommand(COMMAND),
                List.of(HistogramSpec.of(calls, Optional.empty(), List.of("comm"), Optional.empty())));
        try (Histograms histograms = Histograms.open(request)) {
            histograms.attach();
            long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            while (histograms.ended().isEmpty() && System.nanoTime() < deadlineNs) {
                LockSupport.parkNanos(1_000_000);
            }
            histograms.detach();

            List<HistogramTable.Row> rows =
                    histograms.snapshot().tables().get(0).rows();
            assertThat(rows)
                    .singleElement()
                    .satisfies(row -> assertThat(row.key().get(0).text()).isEqualTo("true"));
        }
    }
}
