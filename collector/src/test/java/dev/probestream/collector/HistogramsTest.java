package dev.probestream.collector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.HeldKernelObjects;
import dev.probestream.bpf.KernelTest;
import dev.probestream.collector.dialect.ArgdistLine;
import dev.probestream.collector.dialect.HistogramLine;
import dev.probestream.collector.histogram.Bucketing;
import dev.probestream.collector.histogram.HistogramSnapshot;
import dev.probestream.collector.histogram.HistogramSpec;
import dev.probestream.collector.histogram.HistogramTable;
import dev.probestream.collector.histogram.KeyValue;
import dev.probestream.collector.histogram.ValueSums;
import dev.probestream.collector.probe.ProbeArgumentException;
import dev.probestream.collector.probe.parse.SpecParser;
import dev.probestream.collector.request.HistogramRequest;
import dev.probestream.collector.request.TargetSelection;
import dev.probestream.schema.record.LossReason;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Counting in the kernel as a whole: whatever is called is in exactly one bucket, or counted as lost. */
@KernelTest(since = "5.8")
class HistogramsTest {
    private static final int THREADS = 4;
    private static final int CALLS = 50_000;
    private static final long ALL_CALLS = (long) THREADS * CALLS;

    @TempDir
    static Path folder;

    private static CProgram values;

    /** What a test does while the probes are in place. */
    private interface Work {
        void run(CProgram.Running program) throws Exception;
    }

    @BeforeAll
    static void compile() throws Exception {
        values = CProgram.compile(folder, "histogram/values", "-fno-omit-frame-pointer");
    }

    @RepeatedTest(3)
    void callsOfSeveralThreadsAreCountedByAnArgument() throws Exception {
        HistogramTable table = count("uprobe:take(n=arg1:s64, kind=arg2:s32)", "", "kind", null, HistogramsTest::takes);

        assertThat(counts(table))
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "0", ALL_CALLS / 5,
                        "1", ALL_CALLS / 5,
                        "2", ALL_CALLS / 5,
                        "3", ALL_CALLS / 5,
                        "4", ALL_CALLS / 5));
        assertThat(table.lost()).isZero();
    }

    @RepeatedTest(3)
    void callsOfSeveralThreadsAreCountedByStack() throws Exception {
        for (String by : List.of("ustack", "ustack(3)", "function", "kind,ustack")) {
            HistogramTable table =
                    count("uprobe:take(n=arg1:s64, kind=arg2:s32)", "", by, Bucketing.COUNT, HistogramsTest::takes);

            assertThat(table.total()).as(by).isEqualTo(ALL_CALLS);
            assertThat(table.lost()).as(by).isZero();
            assertThat(table.rows()).hasSize(by.startsWith("kind") ? 5 : 1);
            KeyValue stack = table.rows().get(0).key().get(by.startsWith("kind") ? 1 : 0);
            assertThat(stack.stack().get(0).name()).as(by).isEqualTo("take");
        }
    }

    @RepeatedTest(3)
    void valuesOfSeveralThreadsAreAddedUp() throws Exception {
        Bucketing stats = Bucketing.sums(Bucketing.Form.STATS);
        HistogramTable table =
                count("uprobe:take(n=arg1:s64, kind=arg2:s32)", "n - 7", "kind", stats, HistogramsTest::takes);

        assertThat(table.lost()).isZero();
        assertThat(table.rows()).hasSize(5).allSatisfy(row -> {
            long kind = row.key().get(0).number();
            long perThread = CALLS / 5;
            // kind, kind + 5, kind + 10 ...
            BigInteger sum =
                    BigInteger.valueOf(THREADS * (perThread * (kind - 7) + 5 * (perThread * (perThread - 1) / 2)));
            assertThat(row.total()).isEqualTo(ALL_CALLS / 5);
            assertThat(row.sums().count()).isEqualTo(ALL_CALLS / 5);
            assertThat(row.sums().sum()).isEqualTo(sum);
            assertThat(row.sums().extremes().min()).isEqualTo(kind - 7);
            assertThat(row.sums().extremes().max()).isEqualTo(CALLS - 5 + kind - 7);
        });
    }

    @Test
    void sumsAreExactAtTheEdgesOfTheirTypes() throws Exception {
        Bucketing stats = Bucketing.sums(Bucketing.Form.STATS);
        BigInteger min = BigInteger.TWO.pow(63).negate();
        BigInteger max = BigInteger.TWO.pow(63).subtract(BigInteger.ONE);
        List<BigInteger> edges = List.of(min, max, max, max, BigInteger.ONE.negate(), BigInteger.ZERO);
        ValueSums signed = count("uprobe:take(n=arg1:s64)", "n", "", stats, program -> ask(program, edges))
                .rows()
                .get(0)
                .sums();
        assertThat(signed.sum()).isEqualTo(edges.stream().reduce(BigInteger.ZERO, BigInteger::add));
        assertThat(signed.extremes()).isEqualTo(new ValueSums.Extremes(true, min, max));

        List<BigInteger> large =
                List.of(BigInteger.TWO.pow(64).subtract(BigInteger.ONE), BigInteger.TWO.pow(63), BigInteger.TEN);
        ValueSums unsigned = count("uprobe:take(n=arg1:u64)", "n", "", stats, program -> ask(program, large))
                .rows()
                .get(0)
                .sums();
        assertThat(unsigned.sum()).isEqualTo(large.stream().reduce(BigInteger.ZERO, BigInteger::add));
        assertThat(unsigned.extremes()).isEqualTo(new ValueSums.Extremes(true, BigInteger.TEN, large.get(0)));
        assertThat(unsigned.average()).isEqualTo(unsigned.sum().divide(BigInteger.valueOf(3)));
    }

    @Test
    void everyIntervalHasItsOwnExtremes() throws Exception {
        HistogramSpec spec = spec("uprobe:take(n=arg1:s64)", "n", "", Bucketing.sums(Bucketing.Form.STATS));
        try (CProgram.Running program = values.start();
                Histograms histograms = Histograms.open(new HistogramRequest(
                        TargetSelection.ofPids(List.of(program.pid())), false, List.of(spec), 100))) {
            histograms.attach();
            ask(program, List.of(BigInteger.valueOf(-5), BigInteger.valueOf(100)));
            HistogramSnapshot first = histograms.snapshot();
            ask(program, List.of(BigInteger.valueOf(7)));
            histograms.detach();
            HistogramSnapshot last = histograms.snapshot();

            ValueSums interval = last.since(first).tables().get(0).rows().get(0).sums();
            BigInteger seven = BigInteger.valueOf(7);
            assertThat(interval.sum()).isEqualTo(seven);
            assertThat(interval.extremes()).isEqualTo(new ValueSums.Extremes(true, seven, seven));
            ValueSums total = last.tables().get(0).rows().get(0).sums();
            assertThat(total.extremes())
                    .isEqualTo(new ValueSums.Extremes(true, BigInteger.valueOf(-5), BigInteger.valueOf(100)));
        }
    }

    @Test
    void keysAreComputed() throws Exception {
        HistogramTable table = count("uprobe:take(n=arg1:s64)", "", "(n + 2) / 20000", null, HistogramsTest::takes);

        assertThat(counts(table))
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "0", 19_998L * THREADS,
                        "1", 20_000L * THREADS,
                        "2", 10_002L * THREADS));
    }

    @Test
    void aCallIsAddedUpAtItsReturnByWhatIsComputedOfBoth() throws Exception {
        HistogramTable table = count(
                "span:result(code=arg1:s32, ret:s32)",
                "ret * 3 - code",
                "code % 4 + ret",
                Bucketing.sums(Bucketing.Form.SUM),
                program -> {
                    program.ask("code 10");
                    program.ask("code -10");
                });

        assertThat(table.rows()).extracting(row -> row.key().get(0).number()).containsExactly(12L, -12L);
        assertThat(table.rows()).extracting(row -> row.sums().sum().longValue()).containsExactly(20L, -20L);
    }

    @Test
    void hitsOfMoreKeysAndStacksThanThereIsRoomForAreCountedAsLost() throws Exception {
        for (Bucketing form : List.of(Bucketing.COUNT, Bucketing.sums(Bucketing.Form.SUM))) {
            for (String by : List.of("n", "ustack")) {
                HistogramSpec spec =
                        spec("uprobe:deep(n=arg1:s64)", form.form() == Bucketing.Form.COUNT ? "" : "n", by, form);
                try (CProgram.Running program = values.start()) {
                    HistogramTable table = run(program, spec, 3, each -> each.ask("deep 20"))
                            .tables()
                            .get(0);

                    assertThat(table.rows()).as(by).hasSizeBetween(1, 3);
                    assertThat(table.total()).as(by).isEqualTo(3);
                    assertThat(table.losses()).as(by).isEqualTo(new TreeMap<>(Map.of(LossReason.RING_FULL, 18L)));
                }
            }
        }
    }

    @Test
    void aStackFitsBesideTwoTexts() throws Exception {
        for (String kind : List.of("uprobe", "span")) {
            HistogramTable table = count(
                    kind + ":say(word=arg1:str, again=arg1:str) /word != \"" + "x".repeat(100) + "\"/",
                    "",
                    "word,again,pid,ustack",
                    Bucketing.COUNT,
                    program -> program.ask("word abc 10"));

            assertThat(table.total()).isEqualTo(10);
            assertThat(table.rows().get(0).key().get(1).text()).isEqualTo("abc");
        }
    }

    @Test
    void aPowerOfTwoHistogramHoldsEveryCall() throws Exception {
        HistogramTable table = count("uprobe:take(n=arg1:s64)", "n", "", null, HistogramsTest::takes);

        TreeMap<Integer, Long> expected = new TreeMap<>();
        for (long n = 0; n < CALLS; n++) {
            expected.merge(log2(BigInteger.valueOf(n)), (long) THREADS, Long::sum);
        }
        assertThat(table.rows()).hasSize(1);
        assertThat(table.rows().get(0).countByBucket()).isEqualTo(expected);
        assertThat(table.total()).isEqualTo(ALL_CALLS);
    }

    @Test
    void aLinearHistogramHoldsWhatIsBelowAndAboveToo() throws Exception {
        Bucketing linear = Bucketing.linear(1000, 4500, 1000);
        HistogramTable table = count("uprobe:take(n=arg1:s64)", "n", "", linear, HistogramsTest::takes);

        assertThat(table.rows().get(0).countByBucket())
                .isEqualTo(new TreeMap<>(Map.of(
                        0, 1000L * THREADS,
                        1, 1000L * THREADS,
                        2, 1000L * THREADS,
                        3, 1000L * THREADS,
                        4, 500L * THREADS,
                        5, (CALLS - 4500L) * THREADS)));
    }

    @Test
    void everyThreadHasItsOwnHistogramOfDurations() throws Exception {
        HistogramTable table = count("span:take(n=arg1:s64, kind=arg2:s32)", "duration", "tid,kind", null, program -> {
            takes(program);
        });

        assertThat(table.rows())
                .hasSize(THREADS * 5)
                .allSatisfy(row -> assertThat(row.total()).isEqualTo(CALLS / 5));
        assertThat(table.total() + table.lost() + table.openCalls()).isEqualTo(ALL_CALLS);
    }

    @Test
    void returnedValuesAreKeysAndMayBeNegative() throws Exception {
        for (String spec : List.of("uretprobe:result(ret:s32)", "span:result(code=arg1:s32, ret:s32)")) {
            HistogramTable table =
                    count(spec, "ret", "", Bucketing.COUNT, program -> program.ask("codes " + THREADS + " " + 30_000));

            assertThat(counts(table))
                    .containsExactlyInAnyOrderEntriesOf(
                            Map.of("-1", THREADS * 10_000L, "0", THREADS * 10_000L, "1", THREADS * 10_000L));
        }
    }

    @Test
    void aValueAndAKeyOfTheEntryAreCountedAtTheReturn() throws Exception {
        HistogramTable table = count("span:result(code=arg1:s32, ret:s32)", "code", "ret", null, program -> {
            program.ask("code 100");
            program.ask("code -100");
            program.ask("code 100");
        });

        assertThat(table.rows()).hasSize(2);
        assertThat(table.rows().get(0).key()).extracting(KeyValue::number).containsExactly(100L);
        assertThat(table.rows().get(0).countByBucket()).isEqualTo(new TreeMap<>(Map.of(7, 2L)));
        assertThat(table.rows().get(1).countByBucket()).isEqualTo(new TreeMap<>(Map.of(Bucketing.NEGATIVE, 1L)));
    }

    @Test
    void equalTextsAreOneKeyWhateverWasReadBefore() throws Exception {
        String longWord = "x".repeat(100);
        for (String kind : List.of("uprobe", "span")) {
            HistogramTable table = count(kind + ":say(word=arg1:str[64])", "", "word", Bucketing.COUNT, program -> {
                program.ask("word " + longWord + "1 10");
                program.ask("word a 20");
                program.ask("word " + longWord + "2 5");
                program.ask("word abcdefghijklmnop 7");
                program.ask("word a 1");
                program.ask("nowhere 3");
            });

            assertThat(counts(table))
                    .containsExactlyInAnyOrderEntriesOf(
                            Map.of("a", 21L, "abcdefghijklmnop", 7L, "x".repeat(64) + "…", 15L, "?", 3L));
        }
    }

    @Test
    void theSizeOfATextOfBpftraceCountsItsZeroByteAndNothingStandsForTheRest() throws Exception {
        HistogramSpec spec = HistogramLine.parse(
                        "uprobe:say { @[str(arg0, 3)] = count(); }", Optional.empty(), List.of(), Optional.empty())
                .get(0);
        try (CProgram.Running program = values.start()) {
            HistogramSnapshot snapshot = run(program, spec, 10_000, running -> {
                running.ask("word a 1");
                running.ask("word abc 2");
                running.ask("word abdefghijkl 4");
                running.ask("word aéb 8");
            });

            assertThat(counts(snapshot.tables().get(0))).containsExactlyInAnyOrderEntriesOf(Map.of("a", 9L, "ab", 6L));
        }
    }

    @Test
    void aValueThatCannotBeReadIsNotZero() throws Exception {
        HistogramTable table = count("uprobe:say(first=*arg1:u8)", "first", "", null, program -> {
            program.ask("word A 2");
            program.ask("nowhere 3");
        });

        assertThat(table.rows().get(0).countByBucket())
                .isEqualTo(new TreeMap<>(Map.of(Bucketing.UNREADABLE, 3L, 7, 2L)));
    }

    @Test
    void powersOfTwoAreExactAtTheirEdges() throws Exception {
        List<BigInteger> edges = new ArrayList<>(List.of(BigInteger.ZERO, BigInteger.ONE));
        for (int k = 2; k <= 64; k++) {
            edges.add(BigInteger.TWO.pow(k).subtract(BigInteger.ONE));
            if (k < 64) {
                edges.add(BigInteger.TWO.pow(k));
            }
        }
        HistogramTable unsigned = count("uprobe:take(n=arg1:u64)", "n", "", null, program -> ask(program, edges));
        TreeMap<Integer, Long> expected = new TreeMap<>();
        edges.forEach(value -> expected.merge(log2(value), 1L, Long::sum));
        assertThat(unsigned.rows().get(0).countByBucket()).isEqualTo(expected);

        HistogramTable signed = count("uprobe:take(n=arg1:s64)", "n", "", null, program -> ask(program, edges));
        TreeMap<Integer, Long> expectedSigned = new TreeMap<>();
        edges.forEach(value ->
                expectedSigned.merge(value.bitLength() == 64 ? Bucketing.NEGATIVE : log2(value), 1L, Long::sum));
        assertThat(signed.rows().get(0).countByBucket()).isEqualTo(expectedSigned);
    }

    @Test
    void linearBucketsAreExactAtTheirEdges() throws Exception {
        List<BigInteger> edges = Stream.of(
                        "-11",
                        "-10",
                        "-6",
                        "-5",
                        "-1",
                        "0",
                        "4",
                        "5",
                        "6",
                        "7",
                        "9223372036854775807",
                        "-9223372036854775808")
                .map(BigInteger::new)
                .toList();
        HistogramTable signed =
                count("uprobe:take(n=arg1:s64)", "n", "", Bucketing.linear(-10, 7, 5), program -> ask(program, edges));
        // -10..-6, -5..-1, 0..4, 5..6
        assertThat(signed.rows().get(0).countByBucket())
                .isEqualTo(new TreeMap<>(Map.of(0, 2L, 1, 2L, 2, 2L, 3, 2L, 4, 2L, 5, 2L)));

        HistogramTable unsigned =
                count("uprobe:take(n=arg1:u64)", "n", "", Bucketing.linear(-10, 7, 5), program -> ask(program, edges));
        assertThat(unsigned.rows().get(0).countByBucket()).isEqualTo(new TreeMap<>(Map.of(3, 2L, 4, 2L, 5, 8L)));
    }

    @Test
    void longerCallsAreInHigherBuckets() throws Exception {
        HistogramTable table = count("span:nap(us=arg1:s64)", "duration", "us", null, program -> {
            program.ask("nap 100");
            program.ask("nap 20000");
        });

        Map<Long, Integer> bucket = table.rows().stream()
                .collect(Collectors.toMap(
                        row -> row.key().get(0).number(),
                        row -> row.countByBucket().firstKey()));
        assertThat(bucket.get(100L)).isGreaterThan(log2(BigInteger.valueOf(99_999)) - 1);
        assertThat(bucket.get(20_000L)).isGreaterThan(log2(BigInteger.valueOf(19_999_999)) - 1);
        assertThat(table.total()).isEqualTo(2);
    }

    @Test
    void callsOfAFunctionInItselfAreEachCounted() throws Exception {
        HistogramTable table = count(
                "span:deep(n=arg1:s64, ret:s64)", "", "n,ret", Bucketing.COUNT, program -> program.ask("deep 20"));

        assertThat(table.rows()).hasSize(21).allSatisfy(row -> {
            assertThat(row.total()).isEqualTo(1);
            assertThat(row.key().get(1).number()).isEqualTo(row.key().get(0).number() + 1);
        });
    }

    @RepeatedTest(3)
    void whatAFullTableCannotTakeIsCountedExactly() throws Exception {
        for (String kind : List.of("uprobe", "span")) {
            try (CProgram.Running program = values.start()) {
                HistogramSpec spec = spec(kind + ":take(n=arg1:s64)", "", "n", Bucketing.COUNT);
                HistogramTable table =
                        run(program, spec, 100, HistogramsTest::takes).tables().get(0);

                assertThat(table.rows()).hasSize(100);
                assertThat(table.losses().get(LossReason.RING_FULL)).isPositive();
                assertThat(table.total() + table.lost() + table.openCalls()).isEqualTo(ALL_CALLS);
            }
        }
    }

    @Test
    void severalHistogramsAndAGlobAreToldApart() throws Exception {
        try (CProgram.Running program = values.start();
                Histograms histograms = Histograms.open(new HistogramRequest(
                        TargetSelection.ofPids(List.of(program.pid())),
                        List.of(
                                spec("uprobe:ta?e", "", "probe,comm,pid", null),
                                spec("tracepoint:raw_syscalls:sys_enter", "", "comm", null),
                                spec("rawtracepoint:sys_exit(r=arg2:s64)", "r", "", null))))) {
            histograms.attach();
            takes(program);
            HistogramSnapshot first = histograms.snapshot();
            takes(program);
            histograms.detach();
            HistogramSnapshot last = histograms.snapshot();

            assertThat(last.tables().get(0).rows()).singleElement().satisfies(row -> {
                assertThat(row.key()).extracting(KeyValue::text).containsExactly("take", "values", "");
                assertThat(row.key().get(2).number()).isEqualTo(program.pid());
                assertThat(row.total()).isEqualTo(2 * ALL_CALLS);
            });
            assertThat(first.tables().get(0).total()).isEqualTo(ALL_CALLS);
            assertThat(last.since(first).tables().get(0).total()).isEqualTo(ALL_CALLS);
            assertThat(last.tables().get(1).total()).isPositive();
            assertThat(last.tables().get(2).total()).isPositive();
        }
        HeldKernelObjects.awaitGone("hist_");
    }

    @Test
    void aFilterLetsOnlySomeHitsBeCounted() throws Exception {
        HistogramTable entry = count(
                "uprobe:take(n=arg1:s64, kind=arg2:s32) /kind == 3 && n < 1000/",
                "",
                "kind",
                null,
                HistogramsTest::takes);
        assertThat(counts(entry)).containsExactlyInAnyOrderEntriesOf(Map.of("3", 200L * THREADS));

        HistogramTable atReturn = count(
                "span:result(code=arg1:s32, ret:s32) /ret < 0/",
                "duration",
                "code",
                null,
                program -> program.ask("codes " + THREADS + " 30000"));
        assertThat(atReturn.rows()).hasSize(1);
        assertThat(atReturn.total()).isEqualTo(10_000L * THREADS);
        assertThat(atReturn.openCalls()).isZero();

        HistogramTable text = count("uprobe:say(word=arg1:str[64]) /word ^= \"ab\"/", "", "word", null, program -> {
            program.ask("word abc 3");
            program.ask("word bcd 4");
        });
        assertThat(counts(text)).containsExactlyInAnyOrderEntriesOf(Map.of("abc", 3L));
    }

    @Test
    void argdistsSpellingsCountTheSame() throws Exception {
        try (CProgram.Running program = values.start();
                Histograms histograms = Histograms.open(new HistogramRequest(
                        TargetSelection.ofPids(List.of(program.pid())),
                        List.of(
                                ArgdistLine.count(
                                        "p:" + values.executable() + ":take(long n, int kind):int:kind:n < 10"),
                                ArgdistLine.histogram("r:" + values.executable() + ":result(int code):u64:$latency"),
                                ArgdistLine.count("r:" + values.executable() + ":result(int code)"))))) {
            histograms.attach();
            takes(program);
            program.ask("codes 2 300");
            histograms.detach();
            List<HistogramTable> tables = histograms.snapshot().tables();

            assertThat(tables).extracting(HistogramTable::total).containsExactly(10L * THREADS, 600L, 600L);
            assertThat(counts(tables.get(2)))
                    .containsExactlyInAnyOrderEntriesOf(Map.of("-1", 200L, "0", 200L, "1", 200L));
        }
    }

    @Test
    void aNameThatMeansNothingIsAnsweredWithThoseThatDo() throws Exception {
        try (CProgram.Running program = values.start()) {
            assertThatThrownBy(() -> run(program, spec("span:take(n=arg1)", "m", "", null), 10, unused -> {}))
                    .isInstanceOf(ProbeArgumentException.class)
                    .hasMessageContaining(
                            "no argument of the probe is called m; there are n and pid, tid, comm, cpu, probe, ret,"
                                    + " duration");
            assertThatThrownBy(() -> run(program, spec("uprobe:take", "ret", "", null), 10, unused -> {}))
                    .hasMessageContaining("nothing has been returned yet there");
            assertThatThrownBy(() -> run(program, spec("uprobe:say(w=arg1:str)", "w", "", null), 10, unused -> {}))
                    .hasMessageContaining("w is text and falls into no buckets");
            assertThatThrownBy(() -> run(program, spec("uprobe:say(w=arg1:str[300])", "", "w", null), 10, unused -> {}))
                    .hasMessageContaining("a key of 328 bytes is too long");
        }
    }

    private static void takes(CProgram.Running program) throws Exception {
        assertThat(program.ask("threads " + THREADS + " " + CALLS)).isEqualTo(String.valueOf(ALL_CALLS));
    }

    private static void ask(CProgram.Running program, List<BigInteger> edges) throws Exception {
        for (BigInteger value : edges) {
            program.ask("value " + value);
        }
    }

    private static HistogramTable count(String probe, String of, String by, @Nullable Bucketing form, Work work)
            throws Exception {
        try (CProgram.Running program = values.start()) {
            return run(program, spec(probe, of, by, form), 10_000, work)
                    .tables()
                    .get(0);
        }
    }

    private static HistogramSnapshot run(CProgram.Running program, HistogramSpec spec, int maxKeys, Work work)
            throws Exception {
        try (Histograms histograms = Histograms.open(
                new HistogramRequest(TargetSelection.ofPids(List.of(program.pid())), false, List.of(spec), maxKeys))) {
            histograms.attach();
            work.run(program);
            histograms.detach();
            return histograms.snapshot();
        }
    }

    private static HistogramSpec spec(String probe, String of, String by, @Nullable Bucketing form) {
        return HistogramSpec.of(
                SpecParser.parse(probe),
                Optional.of(of).filter(name -> !name.isEmpty()),
                by.isEmpty() ? List.of() : List.of(by.split(",")),
                Optional.ofNullable(form));
    }

    /** Counts by the only part of the key, in words. */
    private static Map<String, Long> counts(HistogramTable table) {
        return table.rows().stream()
                .collect(Collectors.toMap(row -> words(row.key().get(0)), HistogramTable.Row::total));
    }

    private static String words(KeyValue value) {
        if (!value.isReadable()) {
            return "?";
        }
        return value.type().isText() ? value.text() : String.valueOf(value.number());
    }

    /** The bucket by another way than the program's: how many bits the number has. */
    private static int log2(BigInteger value) {
        return value.bitLength();
    }
}
