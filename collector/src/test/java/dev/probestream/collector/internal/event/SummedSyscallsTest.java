package dev.probestream.collector.internal.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.kernel.UprobeAttachMethod;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.layout.SumLayout;
import dev.probestream.collector.internal.program.options.FollowRule;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.schema.record.Event;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.HitSummary;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The sums of system calls are those of the calls that a C program has counted itself. */
@KernelTest(since = "6.6")
class SummedSyscallsTest {
    @TempDir
    static Path folder;

    private static CProgram calls;

    @BeforeAll
    static void compile() throws Exception {
        calls = CProgram.compile(folder, "probe/summed");
    }

    private static TestCapture following() throws Exception {
        return new TestCapture(
                TestCapture.options(TargetFilter.LISTED_PROCESSES).withFollow(new FollowRule(true, "")),
                UprobeAttachMethod.MULTI);
    }

    private static List<HitSummary> of(TestCapture capture, String call) {
        int probe = capture.probeNamed(call).getProbeId();
        return capture.summaries.stream()
                .filter(summary -> summary.getProbeId() == probe)
                .toList();
    }

    private static long count(TestCapture capture, String call, Predicate<HitSummary> whose) {
        return of(capture, call).stream()
                .filter(whose)
                .mapToLong(HitSummary::getCount)
                .sum();
    }

    @Test
    void everyCallCountsWhetherItsThreadEndsOrItsProcessExecutesAnotherProgram() throws Exception {
        try (CProgram.Running process = calls.start();
                TestCapture capture = following()) {
            capture.add("syscalls");
            capture.start();
            capture.putInt(MapNames.TARGETS, process.pid(), 1);
            int pid = process.pid();
            process.ask("loop 100000");
            capture.readSums();
            process.ask("loop 5");
            int[] tids = Arrays.stream(process.ask("threads 4 1000").split(" "))
                    .mapToInt(Integer::parseInt)
                    .toArray();
            capture.readSums();
            int child = Integer.parseInt(process.ask("fork 77"));
            process.ask("exec 33");
            process.ask("loop 9");
            assertThat(process.finish()).isZero();
            capture.stop();

            assertThat(capture.losses).isEmpty();
            assertThat(count(capture, "getppid", of -> of.getTid() == pid)).isEqualTo(100_000 + 5 + 33 + 9);
            for (int tid : tids) {
                assertThat(count(capture, "getppid", of -> of.getTid() == tid && of.getPid() == pid))
                        .isEqualTo(1000);
            }
            assertThat(count(capture, "getppid", of -> of.getPid() == child)).isEqualTo(77);
            assertThat(count(capture, "exit", of -> true)).isEqualTo(4);
            assertThat(count(capture, "exit_group", of -> true)).isEqualTo(2);
            assertThat(count(capture, "execve", of -> of.getPid() == pid)).isEqualTo(1);
            assertThat(capture.events).noneMatch(event -> event.getKind() == EventKind.OPEN_SPAN);
            assertThat(capture.summaries).allSatisfy(summary -> {
                assertThat(summary.getCount())
                        .isEqualTo(summary.getDurations().stream()
                                .mapToLong(Long::longValue)
                                .sum());
                assertThat(summary.getDurations()).last().isNotEqualTo(0L);
                assertThat(summary.getMaxNs()).isBetween(1L, summary.getTotalNs());
                assertThat(summary.getToNs()).isGreaterThan(summary.getFromNs());
            });
            assertThat(of(capture, "getppid").stream()
                            .filter(summary -> summary.getTid() == pid)
                            .map(HitSummary::getFromNs))
                    .isSorted()
                    .hasSize(3);
        }
    }

    @Test
    void callsThatLastOrFailOrTellSomethingAreEvents() throws Exception {
        try (CProgram.Running process = calls.start();
                TestCapture capture = TestCapture.of(process.pid())) {
            capture.add("syscalls:20ms");
            capture.start();
            process.ask("fail 3");
            process.ask("again 1000");
            process.ask("open");
            process.ask("sleep 1");
            process.ask("sleep 30");
            capture.stop();

            assertThat(capture.eventsOf(capture.probeNamed("close").getProbeId()))
                    .extracting(
                            Event::getReturnValue, event -> event.getNumbers().get(0))
                    .containsExactly(tuple(-9L, -1L), tuple(-9L, -1L), tuple(-9L, -1L));
            assertThat(capture.eventsOf(capture.probeNamed("openat").getProbeId()))
                    .extracting(event -> event.getStrings().get(0))
                    .containsExactly("/dev/null");
            assertThat(capture.eventsOf(capture.probeNamed("clock_nanosleep").getProbeId()))
                    .singleElement()
                    .satisfies(event -> assertThat(event.getDurationNs()).isGreaterThan(30_000_000));
            assertThat(of(capture, "clock_nanosleep")).singleElement().satisfies(summary -> {
                assertThat(summary.getCount()).isEqualTo(2);
                assertThat(summary.getMaxNs()).isGreaterThan(30_000_000);
                assertThat(summary.getTotalNs() - summary.getMaxNs()).isGreaterThan(1_000_000);
                assertThat(summary.getDurations().get(SumLayout.durationIndex(summary.getMaxNs())))
                        .isPositive();
            });
            assertThat(count(capture, "close", of -> true)).isEqualTo(4);
            assertThat(of(capture, "close").get(0).getFailed()).isEqualTo(3);
            int read = capture.probeNamed("read").getProbeId();
            assertThat(of(capture, "read").get(0).getFailed()).isEqualTo(1000);
            assertThat(capture.eventsOf(read)).allMatch(event -> event.getReturnValue() >= 0);
        }
    }

    @Test
    void theCallAThreadWaitsInIsAnOpenSpanWithItsArguments() throws Exception {
        try (CProgram.Running process = calls.start();
                TestCapture capture = TestCapture.of(process.pid())) {
            capture.add("syscalls");
            capture.start();
            process.ask("loop 3");
            process.awaitRead(process.pid());
            capture.stop();

            assertThat(capture.events)
                    .filteredOn(event -> event.getKind() == EventKind.OPEN_SPAN)
                    .singleElement()
                    .satisfies(event -> {
                        assertThat(event.getProbeId())
                                .isEqualTo(capture.probeNamed("read").getProbeId());
                        assertThat(event.getNumbers().get(0)).isZero();
                    });
        }
    }
}
