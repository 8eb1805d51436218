package dev.probestream.collector;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.KernelTest;
import dev.probestream.collector.Recorded.Kept;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.Frame;
import dev.probestream.schema.record.FrameKind;
import dev.probestream.schema.record.Stack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Samples of the cpu, and the stacks of those who wait, of a C program that burns and waits in known functions. */
@KernelTest(since = "6.6")
class ProfileTest {
    @TempDir
    static Path folder;

    private static CProgram burn;

    @BeforeAll
    static void compile() throws Exception {
        burn = CProgram.compile(folder, "profile/burn", "-fno-omit-frame-pointer");
    }

    @Test
    void samplesNameTheFunctionsThatBurnInProportion() throws Exception {
        try (CProgram.Running process = burn.start()) {
            Recorded recorded = SmallRecording.ofProcess(
                            folder, process.pid(), () -> process.ask("burn"), "profile:997")
                    .recorded();

            List<Kept> samples = recorded.of("cpu sample");
            assertThat(samples).hasSizeGreaterThan(50).allSatisfy(sample -> {
                assertThat(sample.kind()).isEqualTo(EventKind.INSTANT);
                assertThat(sample.pid()).isEqualTo(process.pid());
                assertThat(sample.numbers()).containsExactly(1_000_000_000L / 997);
            });
            long inLong = countIn(recorded, samples, "burn_long");
            long inShort = countIn(recorded, samples, "burn_short");
            assertThat((double) inLong / inShort).as("three parts to one").isBetween(2.0, 4.5);
            assertThat(countIn(recorded, samples, "wait_for_word")).isLessThan(inShort);
            assertThat(recorded.ends.get(0).getDelivered()).isEqualTo(recorded.events.size());
            assertThat(recorded.lost()).isZero();
        }
    }

    /** The default of 99 times a second. */
    @Test
    void theSetIsNamedAndSamplesTheKernelToo() throws Exception {
        try (CProgram.Running process = burn.start()) {
            Recorded recorded = SmallRecording.ofProcess(folder, process.pid(), () -> process.ask("burn"), "profile")
                    .recorded();

            assertThat(recorded.probes.values()).singleElement().satisfies(probe -> {
                assertThat(probe.getName()).isEqualTo("cpu sample");
                assertThat(probe.getCategory()).isEqualTo("profile");
                assertThat(probe.getSpec()).isEqualTo("profile:99");
                assertThat(probe.getModule()).isEqualTo("kernel");
            });
            assertThat(recorded.of("cpu sample")).isNotEmpty().allMatch(sample -> sample.stackId() != 0);
        }
    }

    @Test
    void nobodyElseIsSampled() throws Exception {
        try (CProgram.Running watched = burn.start();
                CProgram.Running other = burn.start()) {
            Recorded recorded = SmallRecording.ofProcess(
                            folder, watched.pid(), () -> other.ask("burn"), "profile:997 /tid != 0/")
                    .recorded();

            assertThat(recorded.of("cpu sample")).allMatch(sample -> sample.pid() == watched.pid());
        }
    }

    @Test
    void aThreadThatWaitsSaysWhere() throws Exception {
        try (CProgram.Running process = burn.start()) {
            SmallRecording.Action burnAndWait = () -> {
                process.ask("burn");
                process.awaitRead(process.pid());
            };
            Recorded recorded = SmallRecording.ofProcess(folder, process.pid(), burnAndWait, "offcpu,sched")
                    .recorded();

            List<Kept> leaving = recorded.of("sched_switch").stream()
                    .filter(event -> event.tid() == process.pid())
                    .toList();
            List<Kept> waiting = leaving.stream()
                    .filter(event -> event.numbers().get(3) == 1)
                    .toList();
            assertThat(waiting)
                    .isNotEmpty()
                    .allSatisfy(event -> assertThat(symbols(recorded, event)).isNotEmpty());
            assertThat(waiting)
                    .anySatisfy(event ->
                            assertThat(symbols(recorded, event)).startsWith("syscall", "wait_for_word", "main"));
            assertThat(recorded.of("sched_switch"))
                    .filteredOn(event ->
                            event.tid() != process.pid() || event.numbers().get(3) != 1)
                    .as("foreign threads, and our own when they could go on")
                    .allMatch(event -> event.stackId() == 0);
            assertThat(recorded.of("sched_waking")).isNotEmpty().allMatch(event -> event.stackId() == 0);
            assertThat(recorded.stacks.values())
                    .flatExtracting(Stack::getFrames)
                    .extracting(Frame::getKind)
                    .containsOnly(FrameKind.NATIVE);
        }
    }

    @Test
    void nothingOfItIsLeftBehind() throws Exception {
        try (CProgram.Running process = burn.start()) {
            SmallRecording.ofProcess(folder, process.pid(), () -> process.ask("burn"), "profile:997");

            try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
                assertThat(descriptors.map(ProfileTest::target)).noneMatch(target -> target.contains("perf_event"));
            }
        }
    }

    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException e) {
            return ""; // that of the listing itself
        }
    }

    private static long countIn(Recorded recorded, List<Kept> samples, String function) {
        return samples.stream()
                .filter(sample -> symbols(recorded, sample).contains(function))
                .count();
    }

    private static List<String> symbols(Recorded recorded, Kept event) {
        Stack stack = recorded.stacks.get(event.stackId());
        return stack == null
                ? List.of()
                : stack.getFrames().stream().map(Frame::getSymbol).toList();
    }
}
