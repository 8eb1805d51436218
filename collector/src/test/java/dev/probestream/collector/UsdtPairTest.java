package dev.probestream.collector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.KernelTest;
import dev.probestream.collector.histogram.HistogramSpec;
import dev.probestream.collector.histogram.HistogramTable;
import dev.probestream.collector.probe.ProbeArgumentException;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.probe.parse.SpecParser;
import dev.probestream.collector.request.HistogramRequest;
import dev.probestream.collector.request.TargetSelection;
import dev.probestream.schema.record.Argument;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.Loss;
import dev.probestream.schema.record.LossReason;
import dev.probestream.schema.record.Probe;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pairs of USDT probes as spans: every beginning is a span, open when the recording ended, or counted. */
@KernelTest(since = "6.6")
class UsdtPairTest {
    private static final String WORK = "usdtspan:pairs:work__begin,work__done";
    private static final String ARGUMENTS = "(thread=arg1, i=arg2, result=arg1 at return, text=arg2:str at return)";

    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(60);

    @TempDir
    static Path folder;

    private static CProgram pairs;

    @BeforeAll
    static void compile() throws Exception {
        pairs = CProgram.compile(folder, "usdt/pairs", "-pthread");
    }

    @Test
    void pairsOfSeveralThreadsAreSpansWithWhatBothEndsHave() throws Exception {
        Recorded recorded = record(WORK + ARGUMENTS, "work 4 1000");

        assertThat(recorded.probes.values())
                .extracting(Probe::getName, Probe::getKind)
                .containsExactly(tuple("pairs:work", EventKind.SPAN));
        assertThat(recorded.lost()).isZero();
        assertThat(recorded.events).hasSize(4000).allSatisfy(event -> {
            assertThat(event.kind()).isEqualTo(EventKind.SPAN);
            assertThat(event.durationNs()).isPositive();
            assertThat(event.unavailable()).isZero();
            assertThat(event.numbers().get(2)).isEqualTo(2 * event.numbers().get(1));
            assertThat(event.strings()).containsExactly("ok");
        });
        assertThat(recorded.events.stream()
                        .collect(Collectors.groupingBy(
                                event -> List.of(event.tid(), event.numbers().get(0)))))
                .hasSize(4)
                .allSatisfy((thread, events) -> assertThat(events)
                        .extracting(event -> event.numbers().get(1))
                        .doesNotHaveDuplicates()
                        .hasSize(1000));
    }

    @Test
    void semaphoresOfBothAreRaisedAndLowered() throws Exception {
        try (CProgram.Running program = pairs.start()) {
            assertThat(program.ask("sem")).isEqualTo("0 0");
            SmallRecording.ofProcess(
                    folder,
                    program.pid(),
                    () -> assertThat(program.ask("sem").split(" ")).doesNotContain("0"),
                    WORK);
            assertThat(program.ask("sem")).isEqualTo("0 0");
        }
    }

    @Test
    void allThatTheBeginningHasIsRecordedWhenNothingIsAskedFor() throws Exception {
        Recorded recorded = record(WORK, "slow 21");

        assertThat(recorded.probes.values())
                .flatExtracting(Probe::getArguments)
                .extracting(Argument::getName, Argument::getType)
                .containsExactly(tuple("arg1", "s64"), tuple("arg2", "s64"));
        assertThat(recorded.events).hasSize(1);
        assertThat(recorded.events.get(0).numbers()).containsExactly(0L, 21L);
        assertThat(recorded.events.get(0).durationNs()).isBetween(30_000_000L, 20_000_000_000L);
    }

    @Test
    void beginningInsideOfAnotherIsThePairAndTheOuterOneIsCounted() throws Exception {
        Recorded recorded = record(WORK + ARGUMENTS, "begin 1", "begin 2", "end 20", "end 10");

        assertThat(recorded.events)
                .extracting(Recorded.Kept::kind, Recorded.Kept::numbers)
                .containsExactly(tuple(EventKind.SPAN, List.of(0L, 2L, 20L)));
        assertThat(recorded.losses)
                .extracting(Loss::getReason, Loss::getCount)
                .containsExactly(tuple(LossReason.RETURN_NOT_SEEN, 1L));
    }

    @Test
    void endAloneIsIgnoredAndBeginningAloneIsOpen() throws Exception {
        Recorded recorded = record(WORK + ARGUMENTS, "end 5", "begin 7");

        assertThat(recorded.events)
                .extracting(Recorded.Kept::kind, Recorded.Kept::numbers, Recorded.Kept::unavailable)
                .containsExactly(tuple(EventKind.OPEN_SPAN, List.of(0L, 7L, 0L), 0b1100L));
        assertThat(recorded.lost()).isZero();
    }

    @Test
    void filtersAreDecidedWhereTheirValuesAre() throws Exception {
        String[] work = {"begin 1", "end 3", "slow 2", "begin 5", "end 3"};

        assertThat(record(WORK + ARGUMENTS + "/duration > 20000000/", work).events)
                .extracting(Recorded.Kept::numbers)
                .contains(List.of(0L, 2L, 4L));
        assertThat(record(WORK + ARGUMENTS + "/arg2 > 1 && result == 3/", work).events)
                .extracting(Recorded.Kept::numbers)
                .containsExactly(List.of(0L, 5L, 3L));
        assertThat(record(WORK + ARGUMENTS + "/text == \"slow\"/", work).events)
                .extracting(Recorded.Kept::numbers)
                .containsExactly(List.of(0L, 2L, 4L));
    }

    @Test
    void beginningThatIsFilteredOutTakesNoOthersEnd() throws Exception {
        Recorded recorded = record(WORK + ARGUMENTS + "/i == 1/", "begin 1", "begin 2", "end 3", "begin 1", "end 4");

        assertThat(recorded.events).extracting(Recorded.Kept::numbers).containsExactly(List.of(0L, 1L, 4L));
        assertThat(recorded.losses)
                .extracting(Loss::getReason, Loss::getCount)
                .containsExactly(tuple(LossReason.RETURN_NOT_SEEN, 1L));
    }

    @Test
    void filterThatMixesBothMomentsUnderOrIsRefused() {
        assertThatThrownBy(() -> record(WORK + "/arg2 == 1 || duration > 5/", "sem"))
                .isInstanceOf(ProbeArgumentException.class)
                .hasMessageContaining("join the two by &&");
    }

    @Test
    void missingEndIsToldWithBothNames() {
        assertThatThrownBy(() -> record("usdtspan:pairs:work__begin,work__doen", "sem"))
                .isInstanceOf(ResolveException.class)
                .hasMessageContaining("no file has both pairs:work__begin and pairs:work__doen")
                .hasMessageContaining("pairs:work__begin is there")
                .hasMessageContaining("nearest: pairs:work__done");
    }

    @Test
    void argumentThatTheEndHasNotIsToldOfTheEnd() {
        assertThatThrownBy(() -> record(WORK + "(x=arg3 at return)", "sem"))
                .isInstanceOf(ProbeArgumentException.class)
                .hasMessageContaining("pairs:work__done has no arg3; it has -8@%rdi 8@%rsi");
    }

    @Test
    void pairsOfLibrariesThatComeLateAreSpans() throws Exception {
        Path own = Files.createTempDirectory(folder, "late");
        CProgram watched = CProgram.compile(own, "usdt/watched", "-ldl");
        CProgram library = CProgram.compile(own, "usdt/late", "-shared", "-fPIC");
        String spec = "usdtspan:late:hit,other(a=arg1, b=arg1 at return)";
        try (CProgram.Running program =
                new CProgram(Files.copy(watched.executable(), own.resolve("pair-awaited"))).start()) {
            assertThat(program.ask("sem")).isEqualTo("0");
            SmallRecording recording =
                    SmallRecording.of(own, SmallRecording.request(TargetSelection.ofComm("pair-awaited"), spec), () -> {
                        assertThat(program.ask("load " + library.executable())).isEqualTo("loaded");
                        awaitBothSites(program);
                        assertThat(program.ask("call -7")).isEqualTo("done");
                    });

            assertThat(recording.recorded().events)
                    .extracting(Recorded.Kept::probe, Recorded.Kept::kind, Recorded.Kept::numbers)
                    .containsExactly(tuple("late:hit", EventKind.SPAN, List.of(-7L, -7L)));
        }
    }

    @Test
    void durationsOfPairsAreCounted() throws Exception {
        ProbeSpec spec = SpecParser.parse(WORK + "(thread=arg1, result=arg1 at return) /arg2 < 100/");
        HistogramSpec histogram = HistogramSpec.of(spec, Optional.empty(), List.of("thread"), Optional.empty());

        HistogramTable table = count(histogram, "work 4 1000");

        assertThat(table.rows()).hasSize(4).allMatch(row -> row.total() == 100);
        assertThat(table.lost()).isZero();
        HistogramSpec ofResult = HistogramSpec.of(spec, Optional.of("result"), List.of(), Optional.empty());
        assertThat(count(ofResult, "work 2 1000").total()).isEqualTo(200);
    }

    private static void awaitBothSites(CProgram.Running program) throws Exception {
        long deadlineNs = System.nanoTime() + PATIENCE_NS;
        while (!program.ask("watched").equals("3")) {
            assertThat(System.nanoTime()).as("waiting for the library's sites").isLessThan(deadlineNs);
            Thread.sleep(5);
        }
    }

    private static HistogramTable count(HistogramSpec spec, String line) throws Exception {
        try (CProgram.Running program = pairs.start()) {
            HistogramRequest request =
                    new HistogramRequest(TargetSelection.ofPids(List.of(program.pid())), List.of(spec));
            try (Histograms histograms = Histograms.open(request)) {
                histograms.attach();
                assertThat(program.ask(line)).isEqualTo("done");
                histograms.detach();
                return histograms.snapshot().tables().get(0);
            }
        }
    }

    private static Recorded record(String spec, String... lines) throws Exception {
        try (CProgram.Running program = pairs.start()) {
            return SmallRecording.ofProcess(
                            folder,
                            program.pid(),
                            () -> {
                                for (String line : lines) {
                                    program.ask(line);
                                }
                            },
                            spec)
                    .recorded();
        }
    }
}
