package dev.probestream.collector.internal.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.KernelTest;
import dev.probestream.schema.record.Event;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.HitSummary;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The times without a cpu, compared with what the kernel reports to the program itself. */
@KernelTest(since = "6.6")
class SummedSwitchesTest {
    private static final int STATE = 0;
    private static final int RUNNABLE = 1;
    private static final int WAKER_TID = 2;
    private static final long INTERRUPTIBLE = 1;

    @TempDir
    static Path folder;

    private static CProgram program;

    @BeforeAll
    static void compile() throws Exception {
        program = CProgram.compile(folder, "probe/summed");
    }

    private static List<HitSummary> of(TestCapture capture, int probe, int tid) {
        return capture.summaries.stream()
                .filter(summary -> summary.getProbeId() == probe && summary.getTid() == tid)
                .toList();
    }

    private static long count(List<HitSummary> summaries) {
        return summaries.stream().mapToLong(HitSummary::getCount).sum();
    }

    @Test
    void everySwitchOfAThreadIsInTheSumsAndOnlyLongTimesAreEvents() throws Exception {
        try (CProgram.Running process = program.start();
                TestCapture capture = TestCapture.of(process.pid())) {
            int pid = process.pid();
            process.ask("loop 1");
            process.awaitRead(pid);
            int offCpu = capture.add("sched:20ms");
            int runDelay = offCpu + 1;
            capture.start();
            long before = Long.parseLong(process.ask("usage"));
            process.ask("naps 500");
            capture.readSums();
            process.ask("naps 500");
            process.ask("sleep 30");
            long switches = Long.parseLong(process.ask("usage")) - before;
            process.awaitRead(pid);
            capture.stop();

            assertThat(capture.losses).isEmpty();
            List<HitSummary> times = of(capture, offCpu, pid);
            assertThat(times).hasSize(2);
            // The kernel does not always report that a thread is scheduled onto a cpu.
            assertThat(count(times))
                    .isBetween(switches - switches / 10, switches + 5)
                    .isGreaterThan(900);
            assertThat(count(of(capture, runDelay, pid))).isBetween(900L, count(times));
            long totalNs = times.stream().mapToLong(HitSummary::getTotalNs).sum();
            assertThat(totalNs).isGreaterThan(900 * 50_000 + 30_000_000);
            assertThat(of(capture, runDelay, pid).stream()
                            .mapToLong(HitSummary::getTotalNs)
                            .sum())
                    .isPositive()
                    .isLessThan(totalNs);
            assertThat(capture.eventsOf(offCpu, EventKind.SPAN))
                    .anySatisfy(event -> {
                        assertThat(event.getTid()).isEqualTo(pid);
                        assertThat(event.getPid()).isEqualTo(pid);
                        assertThat(event.getDurationNs()).isGreaterThan(30_000_000);
                        assertThat(event.getNumbers().get(STATE)).isEqualTo(INTERRUPTIBLE);
                        assertThat(event.getNumbers().get(RUNNABLE)).isBetween(1L, event.getDurationNs());
                        assertThat(event.getUnavailable()).isEqualTo(0b1011_0000);
                    })
                    .allMatch(event -> event.getDurationNs() >= 20_000_000
                            || (event.getNumbers().get(STATE) != INTERRUPTIBLE && event.getDurationNs() >= 2_500_000));
            assertThat(capture.eventsOf(offCpu, EventKind.OPEN_SPAN))
                    .singleElement()
                    .satisfies(
                            event -> assertThat(event.getNumbers().get(STATE)).isEqualTo(INTERRUPTIBLE));
        }
    }

    @Test
    void aTimeTellsWhoEndedIt() throws Exception {
        try (CProgram.Running process = program.start();
                TestCapture capture = TestCapture.of(process.pid())) {
            int offCpu = capture.add("sched:1ns");
            capture.start();
            process.ask("threads 2 10");
            process.awaitRead(process.pid());
            process.ask("usage");
            process.awaitRead(process.pid());
            capture.stop();

            List<Event> waits = capture.eventsOf(offCpu, EventKind.SPAN).stream()
                    .filter(event -> event.getNumbers().get(STATE) == INTERRUPTIBLE && event.getTid() == process.pid())
                    .toList();
            long ours = ProcessHandle.current().pid();
            assertThat(waits)
                    .isNotEmpty()
                    .anySatisfy(event ->
                            assertThat(event.getNumbers().get(WAKER_TID + 1)).isEqualTo(ours));
            assertThat(count(of(capture, offCpu, process.pid())))
                    .isEqualTo(capture.eventsOf(offCpu, EventKind.SPAN).stream()
                            .filter(event -> event.getTid() == process.pid())
                            .count());
        }
    }
}
