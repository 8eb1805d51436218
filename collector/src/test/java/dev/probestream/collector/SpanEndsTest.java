package dev.probestream.collector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.KernelTest;
import dev.probestream.collector.histogram.Bucketing;
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
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Spans between any two probes: every begin is a span, replaced by another begin and counted, or open at the end. */
@KernelTest(since = "5.8")
class SpanEndsTest {
    private static final String ENDS =
            "uprobe:start(id=arg1:s64, what=arg2:str) -> uprobe:finish(id=arg1:s32, out=arg2)";
    private static final String BY_THREAD = "span(" + ENDS + ")";
    private static final String BY_ID = "span(" + ENDS + " by id)";
    private static final String OPENS =
            "span(t:syscalls:sys_enter_openat(flags, filename:str) -> t:syscalls:sys_exit_openat(ret))";

    @TempDir
    static Path folder;

    private static CProgram program;
    private static CProgram pairs;

    @BeforeAll
    static void compile() throws Exception {
        program = CProgram.compile(folder, "span/ends");
        pairs = CProgram.compile(folder, "usdt/pairs");
    }

    @Test
    void hitsOfEachThreadArePaired() throws Exception {
        Recorded recorded = record(BY_THREAD, "pairs 4 1000");

        assertThat(recorded.probes.values())
                .extracting(Probe::getName, Probe::getKind)
                .containsExactly(tuple("start -> finish", EventKind.SPAN));
        assertThat(recorded.probes.values())
                .flatExtracting(Probe::getArguments)
                .extracting(Argument::getName, Argument::getType)
                .containsExactly(tuple("id", "s64"), tuple("what", "str"), tuple("end_id", "s32"), tuple("out", "s64"));
        assertThat(recorded.lost()).isZero();
        assertThat(recorded.events).hasSize(4000).allSatisfy(event -> {
            assertThat(event.kind()).isEqualTo(EventKind.SPAN);
            assertThat(event.durationNs()).isPositive();
            assertThat(event.unavailable()).isZero();
            assertThat(event.numbers().get(1)).isEqualTo(event.numbers().get(0));
            assertThat(event.numbers().get(2)).isEqualTo(2 * (event.numbers().get(0) % 1000));
            assertThat(event.strings()).containsExactly("work");
        });
        assertThat(recorded.events).extracting(event -> event.numbers().get(0)).doesNotHaveDuplicates();
        assertThat(recorded.events)
                .extracting(Recorded.Kept::tid)
                .satisfies(tids -> assertThat(tids.stream().distinct()).hasSize(4));
    }

    @Test
    void keyPairsHitsOfTwoThreadsAndTheSpanIsOnThatOfItsBegin() throws Exception {
        List<String> tids = new ArrayList<>();
        Recorded recorded = record(BY_ID, tids, "across 500");

        assertThat(recorded.probes.values())
                .flatExtracting(Probe::getArguments)
                .extracting(Argument::getName)
                .containsExactly("id", "what", "out");
        assertThat(recorded.lost()).isZero();
        int beginTid = Integer.parseInt(tids.get(0).split(" ")[0]);
        assertThat(recorded.events).hasSize(500).allSatisfy(event -> {
            assertThat(event.kind()).isEqualTo(EventKind.SPAN);
            assertThat(event.tid()).isEqualTo(beginTid);
            assertThat(event.numbers().get(1)).isEqualTo(2 * event.numbers().get(0));
        });
        assertThat(recorded.events).extracting(event -> event.numbers().get(0)).doesNotHaveDuplicates();
    }

    @Test
    void spansOfDifferentKeysMayOverlap() throws Exception {
        Recorded recorded =
                record(BY_ID, "start 1 a", "start 2 b", "finish 1 10", "start 3 c", "finish 3 30", "finish 2 20");

        assertThat(recorded.events)
                .extracting(Recorded.Kept::kind, Recorded.Kept::numbers, Recorded.Kept::strings)
                .containsExactly(
                        tuple(EventKind.SPAN, List.of(1L, 10L), List.of("a")),
                        tuple(EventKind.SPAN, List.of(3L, 30L), List.of("c")),
                        tuple(EventKind.SPAN, List.of(2L, 20L), List.of("b")));
        assertThat(recorded.lost()).isZero();
    }

    /** The keys are near each other, as stack pointers of calls in one another are. */
    @Test
    void spansOfNearKeysAreAllOpenAtTheEnd() throws Exception {
        Recorded recorded = record(BY_ID, "start 1 a", "start 2 b", "start 3 c", "finish 2 20");

        assertThat(recorded.lost()).isZero();
        assertThat(recorded.events)
                .extracting(Recorded.Kept::kind, Recorded.Kept::strings)
                .containsExactlyInAnyOrder(
                        tuple(EventKind.SPAN, List.of("b")),
                        tuple(EventKind.OPEN_SPAN, List.of("a")),
                        tuple(EventKind.OPEN_SPAN, List.of("c")));
    }

    @Test
    void valuesOfDifferentWidthsAreComparedInTheNarrowerOne() throws Exception {
        String spec = "span(uprobe:start(id=arg1:s64) -> uprobe:finish(id=arg1:u32, out=arg2) by id)";

        assertThat(record(spec, "start -7 x", "finish -7 70").events)
                .extracting(Recorded.Kept::kind, Recorded.Kept::numbers)
                .containsExactly(tuple(EventKind.SPAN, List.of(-7L, 70L)));
    }

    @Test
    void upToFourKeysPairHits() throws Exception {
        String spec = "span(uprobe:start(a=arg1:s32, b=arg1:s16, c=arg1:u8, d=arg1:s64, t=arg2:str)"
                + " -> uprobe:finish(a=arg1:s32, b=arg1:s16, c=arg1:u8, d=arg1:s32, out=arg2) by a, b, c, d)";

        assertThat(record(spec, "start 1 x", "start 65537 y", "finish 65537 2", "finish 1 1").events)
                .extracting(Recorded.Kept::numbers)
                .containsExactly(List.of(65537L, 1L, 1L, 65537L, 2L), List.of(1L, 1L, 1L, 1L, 1L));
    }

    @Test
    void laterBeginReplacesTheOpenOneWhichIsCounted() throws Exception {
        for (String spec : List.of(BY_THREAD, BY_ID)) {
            Recorded recorded = record(spec, "start 1 a", "start 1 b", "finish 1 10", "finish 1 20");

            assertThat(recorded.events)
                    .extracting(Recorded.Kept::kind, Recorded.Kept::strings)
                    .containsExactly(tuple(EventKind.SPAN, List.of("b")));
            assertThat(recorded.losses)
                    .extracting(Loss::getReason, Loss::getCount)
                    .containsExactly(tuple(LossReason.RETURN_NOT_SEEN, 1L));
        }
    }

    @Test
    void endAloneIsIgnoredAndBeginAloneIsOpen() throws Exception {
        Recorded recorded = record(BY_ID, "finish 4 1", "start 5 a", "finish 6 1");

        assertThat(recorded.events)
                .extracting(Recorded.Kept::kind, Recorded.Kept::numbers, Recorded.Kept::unavailable)
                .containsExactly(tuple(EventKind.OPEN_SPAN, List.of(5L, 0L), 0b100L));
        assertThat(recorded.lost()).isZero();
    }

    @Test
    void filtersOfEitherEndAndOfTheSpanAreDecidedWhereTheirValuesAre() throws Exception {
        String[] lines = {"start 1 a", "finish 1 10", "start 2 b", "finish 2 20", "start 3 b", "finish 3 30"};
        String begin = "span(uprobe:start(id=arg1, what=arg2:str) /arg2:str == \"b\"/ -> uprobe:finish(out=arg2))";
        String end = "span(uprobe:start(id=arg1) -> uprobe:finish(out=arg2) /arg2 < 30 && arg1 > 1/)";
        String whole = BY_ID + " /what == \"b\" && out > 20 && duration > 0/";

        assertThat(record(begin, lines).events)
                .extracting(Recorded.Kept::numbers)
                .containsExactly(List.of(2L, 20L), List.of(3L, 30L));
        assertThat(record(end, lines).events).extracting(Recorded.Kept::numbers).containsExactly(List.of(2L, 20L));
        assertThat(record(whole, lines).events)
                .extracting(Recorded.Kept::numbers)
                .containsExactly(List.of(3L, 30L));
        assertThat(record(BY_ID + " /duration > 3600000000000/", lines).events).isEmpty();
    }

    @Test
    void beginThatIsFilteredOutTakesNoOthersEnd() throws Exception {
        for (String spec : List.of(BY_THREAD, BY_ID)) {
            Recorded recorded = record(
                    spec + " /what == \"a\"/", "start 1 a", "start 1 b", "finish 1 10", "start 1 a", "finish 1 20");

            assertThat(recorded.events)
                    .extracting(event -> event.numbers().get(event.numbers().size() - 1))
                    .containsExactly(20L);
            assertThat(recorded.losses)
                    .extracting(Loss::getReason, Loss::getCount)
                    .containsExactly(tuple(LossReason.RETURN_NOT_SEEN, 1L));
        }
    }

    @Test
    void beginsThatFindNoRoomAreCounted() throws Exception {
        Recorded recorded = record(BY_ID, "across 10000");

        assertThat(recorded.events).hasSizeLessThan(10_000).allMatch(event -> event.kind() == EventKind.SPAN);
        assertThat(recorded.losses).allMatch(loss -> loss.getReason() == LossReason.TOO_MANY_OPEN_SPANS);
        assertThat(recorded.events.size() + recorded.lost()).isEqualTo(10_000);
    }

    @Test
    void asyncContextOfBothEndsIsRecorded() throws Exception {
        Recorded recorded =
                record("span(uprobe:start(a=asyncid) -> uprobe:finish(b=asyncid))", "start 1 a", "finish 1 2");

        assertThat(recorded.events).extracting(Recorded.Kept::numbers).containsExactly(List.of(0L, 0L));
    }

    @Test
    void returnedValueCanBeAKey() throws Exception {
        String spec = "span(uretprobe:make(v=ret) -> uprobe:take(v=arg1) by v)";

        assertThat(record(spec, "make 1", "make 2", "take 20", "take 10", "take 30").events)
                .extracting(Recorded.Kept::kind, Recorded.Kept::numbers)
                .containsExactly(tuple(EventKind.SPAN, List.of(20L)), tuple(EventKind.SPAN, List.of(10L)));
    }

    @Test
    void tracepointsArePairedWithTheirFields() throws Exception {
        Recorded recorded = record(OPENS, "open 100");

        assertThat(recorded.probes.values())
                .extracting(Probe::getName)
                .containsExactly("syscalls:sys_enter_openat -> syscalls:sys_exit_openat");
        assertThat(recorded.events).hasSize(100).allSatisfy(event -> {
            assertThat(event.kind()).isEqualTo(EventKind.SPAN);
            assertThat(event.strings()).containsExactly("/dev/null");
            assertThat(event.numbers().get(1)).isPositive();
        });
    }

    @Test
    void allFieldsOfBothTracepointsAreRecordedIfNoneAreListed() throws Exception {
        Recorded recorded = record("span(t:syscalls:sys_enter_openat -> t:syscalls:sys_exit_openat)", "open 1");

        assertThat(recorded.events).hasSize(1);
        assertThat(recorded.probes.values())
                .flatExtracting(Probe::getArguments)
                .extracting(Argument::getName)
                .containsExactly("__syscall_nr", "dfd", "filename", "flags", "mode", "end___syscall_nr", "ret");
    }

    @Test
    void probesOfDifferentKindsArePaired() throws Exception {
        String toTracepoint = "span(uprobe:start(id=arg1) -> t:syscalls:sys_enter_openat)";
        String toRaw = "span(uprobe:start(id=arg1) -> rawtracepoint:sys_enter(nr=arg2) /arg2 == 257/)";
        String toReturn = "span(uprobe:make(n=arg1) -> uretprobe:make(ret))";

        assertThat(record(toTracepoint, "start 7 a", "open 2").events)
                .extracting(Recorded.Kept::kind, event -> event.numbers().get(0))
                .containsExactly(tuple(EventKind.SPAN, 7L));
        assertThat(record(toReturn, "make 3").events)
                .extracting(Recorded.Kept::numbers)
                .containsExactly(List.of(3L, 30L));
        assertThat(record(toRaw, "start 8 a", "open 1").losses).isEmpty();
    }

    @Test
    void usdtProbesWithSeveralSitesArePaired() throws Exception {
        String spec = "span(usdt:pairs:work__begin -> usdt:pairs:work__done(result=arg1, text=arg2:str))";

        Recorded recorded = recordOf(pairs, spec, new ArrayList<>(), "work 2 500");

        assertThat(recorded.probes.values())
                .extracting(Probe::getName)
                .containsExactly("pairs:work__begin -> pairs:work__done");
        assertThat(recorded.lost()).isZero();
        assertThat(recorded.events).hasSize(1000).allSatisfy(event -> {
            assertThat(event.numbers().get(2)).isEqualTo(2 * event.numbers().get(1));
            assertThat(event.strings()).containsExactly("ok");
        });
    }

    @Test
    void argumentsOfProgramsThatAreStartedAreMasked() throws Exception {
        String spec = "span(uprobe:uv_spawn(what=arg2:str) -> uprobe:finish)";

        assertThat(record(spec, "spawn 1 --password=secret", "finish 1 1").events)
                .flatExtracting(Recorded.Kept::strings)
                .hasSize(1)
                .noneMatch(text -> text.contains("secret"));
    }

    @Test
    void stackOfTheEndIsRecorded() throws Exception {
        Recorded recorded = record(BY_THREAD + " [ustack]", "start 1 a", "finish 1 2");

        assertThat(recorded.events).hasSize(1);
        assertThat(recorded.stacks.get(recorded.events.get(0).stackId())).isNotNull();
    }

    @Test
    void endThatIsNowhereIsReported() {
        assertThatThrownBy(() -> record("span(uprobe:start -> uprobe:finsh)", "open 0"))
                .isInstanceOf(ResolveException.class)
                .hasMessageContaining("uprobe:finsh")
                .hasMessageContaining("finish");
    }

    @Test
    void keyThatAProbeLacksOrThatIsTextIsRefused() {
        assertThatThrownBy(() ->
                        record("span(t:syscalls:sys_enter_openat -> t:syscalls:sys_exit_openat by flags)", "open 0"))
                .isInstanceOf(ProbeArgumentException.class)
                .hasMessageContaining("syscalls:sys_exit_openat has no argument flags; it has __syscall_nr, ret");
        assertThatThrownBy(() -> record("span(t:sched:sched_wakeup -> t:sched:sched_process_exit by comm)", "open 0"))
                .isInstanceOf(ProbeArgumentException.class)
                .hasMessageContaining("comm of sched:sched_wakeup is no integer");
    }

    @Test
    void durationsAreCountedByArgumentsOfEitherEnd() throws Exception {
        ProbeSpec spec = SpecParser.parse(BY_ID);

        HistogramTable byText = count(HistogramSpec.of(spec, Optional.empty(), List.of("what"), Optional.empty()));
        assertThat(byText.rows()).hasSize(1).allMatch(row -> row.total() == 2000);
        HistogramTable byOut = count(HistogramSpec.of(spec, Optional.empty(), List.of("out"), Optional.empty()));
        assertThat(byOut.rows()).hasSize(500).allMatch(row -> row.total() == 4);
        assertThat(byOut.lost()).isZero();
    }

    @Test
    void systemCallsAreCountedByName() throws Exception {
        ProbeSpec spec = SpecParser.parse("syscalls:all");
        HistogramSpec byName = HistogramSpec.of(spec, Optional.empty(), List.of("name"), Optional.empty());

        HistogramTable table = count(byName, "open 300");

        assertThat(table.spec().title()).isEqualTo("syscalls:all");
        assertThat(table.lost()).isZero();
        assertThat(calls(table)).containsEntry("openat", 300L).containsEntry("close", 300L);
    }

    @Test
    void exitsOfThreadsLeaveNothingOpen() throws Exception {
        HistogramSpec byName = HistogramSpec.of(
                SpecParser.parse("syscalls:all"),
                Optional.empty(),
                List.of("name", "ret"),
                Optional.of(Bucketing.COUNT));

        assertThat(calls(count(byName, "pairs 4 1"))).doesNotContainKeys("exit", "exit_group");
    }

    @Test
    void oneSystemCallIsCountedByWhatItReturns() throws Exception {
        ProbeSpec spec = SpecParser.parse("syscall:openat(path=arg2:str) /path == \"/dev/null\"/");

        HistogramTable byPath = count(
                HistogramSpec.of(spec, Optional.empty(), List.of("path"), Optional.of(Bucketing.COUNT)), "open 300");
        HistogramTable lasted =
                count(HistogramSpec.of(spec, Optional.of("duration"), List.of(), Optional.empty()), "open 300");

        assertThat(calls(byPath)).isEqualTo(Map.of("/dev/null", 300L));
        assertThat(lasted.rows()).hasSize(1).allMatch(row -> row.total() == 300);
    }

    private static Map<String, Long> calls(HistogramTable table) {
        return table.rows().stream()
                .collect(Collectors.groupingBy(
                        row -> row.key().get(0).text(), Collectors.summingLong(HistogramTable.Row::total)));
    }

    private static HistogramTable count(HistogramSpec spec) throws Exception {
        return count(spec, "pairs 4 500");
    }

    private static HistogramTable count(HistogramSpec spec, String line) throws Exception {
        try (CProgram.Running running = program.start()) {
            HistogramRequest request =
                    new HistogramRequest(TargetSelection.ofPids(List.of(running.pid())), List.of(spec));
            try (Histograms histograms = Histograms.open(request)) {
                histograms.attach();
                assertThat(running.ask(line)).isEqualTo("done");
                histograms.detach();
                return histograms.snapshot().tables().get(0);
            }
        }
    }

    private static Recorded record(String spec, String... lines) throws Exception {
        return record(spec, new ArrayList<>(), lines);
    }

    private static Recorded record(String spec, List<String> answers, String... lines) throws Exception {
        return recordOf(program, spec, answers, lines);
    }

    private static Recorded recordOf(CProgram started, String spec, List<String> answers, String... lines)
            throws Exception {
        try (CProgram.Running running = started.start()) {
            return SmallRecording.ofProcess(
                            folder,
                            running.pid(),
                            () -> {
                                for (String line : lines) {
                                    answers.add(running.ask(line));
                                }
                            },
                            spec)
                    .recorded();
        }
    }
}
