package dev.probestream.bench.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.probestream.bpf.KernelTest;
import dev.probestream.collector.histogram.HistogramTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the benchmarks of {@code trace}, {@code hist} and USDT take for granted. */
final class TracingTest {
    @TempDir
    private Path folder;

    @Test
    void countsAndBucketsOfBpftraceAreAddedUp() {
        String printed = """
                Attaching 3 probes...
                ready

                @[2]: 100
                @[/srv/app/a.txt]: 20
                @h:
                [0]                    1 |                                                    |
                [512, 1K)          96405 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|
                [1M, 2M)               0 |                                                    |
                """;

        assertThat(Bpftrace.total(printed)).isEqualTo(96_526);
        assertThat(Bpftrace.lost("Lost 12 events\n1 2 3 comm probed /srv/app/a.txt 7 7\nLost 30 events\n"))
                .isEqualTo(42);
    }

    @Test
    void summaryOfTraceIsRead() {
        assertThat(TraceProcess.Summary.parse("printed 1 line of 1 event in 2.0 s, none lost\n"))
                .isEqualTo(new TraceProcess.Summary(1, 0));
        assertThat(TraceProcess.Summary.parse(
                        "ended\nprinted 1,947,065 lines of 1,947,065 events in 13.0 s, 133,869 LOST"))
                .isEqualTo(new TraceProcess.Summary(1_947_065, 133_869));
    }

    @Test
    void toolThatEndsIsNotWaitedForAnyMore() throws IOException {
        try (Tool tool = Tool.start(folder, Tool.NOWHERE, List.of("sh", "-c", "echo no such probe >&2"))) {
            assertThatThrownBy(() -> tool.await("attach", () -> false)).hasMessageContaining("no such probe");
        }
    }

    @Test
    void linesOfABurstAreThoseThatCameAfterItsBeginning() throws IOException {
        Path file = folder.resolve("lines.txt");
        String script = "echo /srv/app/a.txt; echo ready; while :; do echo /srv/app/b.txt; sleep 9; done";
        try (Tool tool = Tool.start(folder, file, List.of("sh", "-c", script))) {
            tool.await("begin", () -> Printing.lines(tool) == 2);

            Printing printing = Printing.of(count -> 700L * count, 10, tool);

            assertThat(printing.perHitNs()).isEqualTo(700);
            assertThat(printing.lines()).isZero();
        }
    }

    @KernelTest(since = "5.8")
    @Test
    void everyCallIsCountedUnderItsKey() throws Exception {
        try (TargetProgram target = TargetProgram.start(folder);
                Counting counting = Counting.byArguments(target, "uprobe:probed(b=arg2:s64, text=arg5:str)")) {
            target.call(6400);

            HistogramTable table = counting.finish();
            assertThat(table.total()).isEqualTo(6400);
            assertThat(table.rows()).hasSize(64).allMatch(row -> row.total() == 100);
        }
    }

    @KernelTest(since = "5.8")
    @Test
    void bpftraceThatIsReadyMissesNoHit() throws Exception {
        assumeFalse(Bpftrace.version().isEmpty(), "bpftrace is not installed");
        Path output = folder.resolve("counts.txt");
        try (TargetProgram target = TargetProgram.start(folder)) {
            String program = Bpftrace.entry(target) + " { @[arg1] = count(); }";
            try (Bpftrace bpftrace = Bpftrace.ready(folder, target, output, program)) {
                target.call(1000);

                assertThat(bpftrace.finishCounting()).isEqualTo(1000);
            }
        }
    }
}
