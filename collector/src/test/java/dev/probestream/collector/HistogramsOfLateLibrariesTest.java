package dev.probestream.collector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.HeldKernelObjects;
import dev.probestream.bpf.KernelTest;
import dev.probestream.collector.histogram.Bucketing;
import dev.probestream.collector.histogram.HistogramSnapshot;
import dev.probestream.collector.histogram.HistogramSpec;
import dev.probestream.collector.histogram.HistogramTable;
import dev.probestream.collector.histogram.KeyValue;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.probe.parse.SpecParser;
import dev.probestream.collector.request.HistogramRequest;
import dev.probestream.collector.request.TargetSelection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Counting in libraries that a process loads while it is counted in. */
@KernelTest(since = "6.6")
class HistogramsOfLateLibrariesTest {
    private static final Duration BOUND = Duration.ofMinutes(2);
    private static final String LATE =
            " was attached \\d+\\.\\d ms after /.*/liblate\\.so was mapped; hits in between may be missing";

    @TempDir
    static Path folder;

    private static Path library;
    private static CProgram plugins;
    private static CProgram watched;

    /** What a count of a command came to. */
    private record Counted(List<HistogramTable> tables, List<String> warnings, List<String> misspelled) {}

    @BeforeAll
    static void compile() throws Exception {
        library = compileLibrary("own");
        plugins = CProgram.compile(folder, "usdt/plugins", "-ldl");
        watched = CProgram.compile(folder, "usdt/watched");
    }

    private static Path compileLibrary(String name, String... flags) throws Exception {
        Path own = Files.createDirectory(folder.resolve(name));
        List<String> all = new ArrayList<>(List.of("-shared", "-fPIC", "-Wl,-soname,liblate.so"));
        all.addAll(List.of(flags));
        CProgram compiled = CProgram.compile(own, "usdt/late", all.toArray(new String[0]));
        return Files.move(compiled.executable(), own.resolve("liblate.so")).toRealPath();
    }

    @Test
    void probesOfALibraryThatACommandLoadsAreCountedOnceItIsMapped() throws Exception {
        // The command goes on when the USDT probe is attached, which therefore comes last.
        Counted counted = count(
                false,
                plugins("3", library),
                spec("span:late:late_call(n=arg1, ret)", "n,ret"),
                spec("usdt:late:hit(n=arg1)", "n"));

        assertThat(counted.tables().stream().map(HistogramsOfLateLibrariesTest::counts))
                .containsExactly(Map.of("3 6", 1L), Map.of("3", 1L));
        assertThat(counted.tables()).extracting(HistogramTable::openCalls).containsOnly(0L);
        assertThat(counted.misspelled()).isEmpty();
        assertThat(counted.warnings()).hasSize(3);
        assertThat(counted.warnings().get(0))
                .startsWith(
                        "span:late:late_call(n=arg1, ret), usdt:late:hit(n=arg1) are in no file of the target so far;");
        assertThat(counted.warnings().get(1)).matches("late_call" + LATE);
        assertThat(counted.warnings().get(2)).matches("late:hit" + LATE);
    }

    @Test
    void aRunningProcessIsWaitedFor() throws Exception {
        Path second = compileLibrary("second", "-DARGUMENTS=\"-8@%rdi\"");
        try (CProgram.Running program = watched.start();
                Histograms histograms = open(program, spec("usdt:late:hit", "pid"))) {
            histograms.attach();
            assertThat(histograms.warnings())
                    .containsExactly("usdt:late:hit is in no file of the target so far; it is attached once the target"
                            + " has mapped one that has it (name the file by its path to see hits from its first"
                            + " moment)");
            assertThat(histograms.probeCount()).isZero();
            assertThat(counts(histograms.snapshot().tables().get(0))).isEmpty();

            String pid = String.valueOf(program.pid());
            load(program, library, histograms);
            program.ask("call 7");
            HistogramSnapshot first = histograms.snapshot();
            load(program, second, histograms);
            program.ask("call 7");
            program.ask("call 7");
            histograms.detach();

            HistogramSnapshot last = histograms.snapshot();
            assertThat(counts(first.tables().get(0))).isEqualTo(Map.of(pid, 1L));
            assertThat(counts(last.tables().get(0))).isEqualTo(Map.of(pid, 3L));
            assertThat(counts(last.since(first).tables().get(0))).isEqualTo(Map.of(pid, 2L));
            assertThat(histograms.warnings()).hasSize(3);
            assertThat(histograms.warnings().get(1)).matches("late:hit" + LATE);
        }
        HeldKernelObjects.awaitGone("hist_");
    }

    @Test
    void valuesOfALateProbeAreAddedUpByStack() throws Exception {
        HistogramSpec spec = HistogramSpec.of(
                SpecParser.parse("usdt:late:hit(n=arg1:s32)"),
                Optional.of("n * 2"),
                List.of("ustack"),
                Optional.of(Bucketing.sums(Bucketing.Form.STATS)));
        try (CProgram.Running program = watched.start();
                Histograms histograms = open(program, spec)) {
            histograms.attach();
            load(program, library, histograms);
            program.ask("call 3");
            program.ask("call 4");
            histograms.detach();

            HistogramTable table = histograms.snapshot().tables().get(0);
            assertThat(table.total()).isEqualTo(2);
            assertThat(table.rows())
                    .allSatisfy(row -> assertThat(row.key().get(0).stack()).isNotEmpty());
            assertThat(table.rows().stream()
                            .mapToLong(row -> row.sums().sum().longValue())
                            .sum())
                    .isEqualTo(14);
        }
        HeldKernelObjects.awaitGone("hist_");
    }

    @Test
    void severalHistogramsOfALateProbeAreToldApart() throws Exception {
        try (CProgram.Running program = watched.start();
                Histograms histograms = open(
                        program,
                        spec("usdt:late:hit(n=arg1)", "n"),
                        spec("usdt:late:hit(n=arg1)", "probe"),
                        spec("usdt:late:*(n=arg1:s32)", "probe,n"),
                        spec("u:late:hit(n=arg1) /n > 3/", "n"),
                        spec("usdtspan:late:hit,other(n=arg1)", "n"))) {
            histograms.attach();
            load(program, library, histograms);
            program.ask("call 3");
            program.ask("call 4");
            histograms.detach();

            assertThat(histograms.snapshot().tables().stream().map(HistogramsOfLateLibrariesTest::counts))
                    .containsExactly(
                            Map.of("3", 1L, "4", 1L),
                            Map.of("late:hit", 2L),
                            Map.of("late:hit 3", 1L, "late:hit 4", 1L, "late:other 3", 1L, "late:other 4", 1L),
                            Map.of("4", 1L),
                            Map.of("3", 1L, "4", 1L));
            assertThat(histograms.probeCount()).isEqualTo(6);
            assertThat(histograms.misspelled()).isEmpty();
        }
    }

    @Test
    void aLateProbeThatDeclaresAnotherTypeIsLeftOutWhichIsAnError() throws Exception {
        try (CProgram.Running program = watched.start();
                Histograms histograms = open(program, spec("usdt:late:*(n=arg1)", "probe,n"))) {
            histograms.attach();
            load(program, library, histograms);
            program.ask("call 3");
            histograms.detach();

            assertThat(counts(histograms.snapshot().tables().get(0))).isEqualTo(Map.of("late:hit 3", 1L));
            assertThat(histograms.misspelled())
                    .singleElement()
                    .asString()
                    .contains("usdt:late:*", "the probes declare other types: name the type, such as (x=arg1:s64)");
        }
    }

    @Test
    void librariesThatFollowedChildrenLoadAreCounted() throws Exception {
        Counted counted = count(true, plugins("fork 6", library), spec("usdt:late:hit(n=arg1)", "n"));

        assertThat(counts(counted.tables().get(0))).isEqualTo(Map.of("6", 1L));
    }

    @Test
    void aLibraryThatTheLinkerKnowsByItsNameIsCountedFromItsFirstCall() throws Exception {
        CProgram dlopens = CProgram.compile(folder, "usdt/dlopens", "-ldl");
        Counted counted = count(
                false,
                List.of(dlopens.executable().toString(), "libm.so.6", "cbrt", "100"),
                spec("uprobe:libm.so.6:cbrt", "probe"),
                spec("span:m:cbrt", "probe"));

        assertThat(counted.tables())
                .allSatisfy(table -> assertThat(counts(table)).isEqualTo(Map.of("cbrt", 100L)));
        assertThat(counted.warnings()).isEmpty();
    }

    @Test
    void whatWasMisspelledAndWhatWasNeverMappedIsToldAtTheEnd() throws Exception {
        Counted counted = count(
                false,
                plugins("5", library),
                spec("usdt:late:hit", "pid"),
                spec("uprobe:liblate:late_hti", "pid"),
                spec("usdt:liblate:late:hti", "pid"),
                spec("usdt:never:there", "pid"),
                spec("uprobe:libnever:f", "pid"));

        assertThat(counted.misspelled())
                .hasSize(2)
                .anySatisfy(text -> assertThat(text).contains("there is no function late_hti", "nearest: ", "late_hit"))
                .anySatisfy(text -> assertThat(text).contains("none is called late:hti", "nearest: ", "late:hit"));
        assertThat(counted.warnings())
                .endsWith(
                        "attached nowhere, because no file with usdt:never:there, uprobe:libnever:f was found in the target"
                                + " before it ended");
        assertThat(counted.tables()).extracting(HistogramTable::total).containsExactly(1L, 0L, 0L, 0L, 0L);
    }

    @Test
    void aNameOfNoArgumentOfALateProbeIsAnError() throws Exception {
        Counted counted = count(
                false, plugins("5", library), spec("usdt:late:hit(n=arg1)", "n"), spec("usdt:late:other(n=arg1)", "m"));

        assertThat(counts(counted.tables().get(0))).isEqualTo(Map.of("5", 1L));
        assertThat(counted.misspelled())
                .singleElement()
                .asString()
                .contains("usdt:late:other", "no argument of the probe is called m; there are n and pid");
    }

    @Test
    void aMisspelledNameOfAMappedLibraryIsAnErrorAtOnce() throws Exception {
        try (CProgram.Running program = watched.start()) {
            program.ask("load " + library);
            for (String probe : List.of("uprobe:liblate:late_hti", "usdt:late:hti")) {
                assertThatThrownBy(() -> open(program, spec(probe, "pid")).close())
                        .as(probe)
                        .isInstanceOf(ResolveException.class)
                        .hasMessageContaining("nearest: ");
            }
        }
    }

    /** Loads a library, and goes on once its probes are attached. */
    private static void load(CProgram.Running program, Path library, Histograms histograms) throws Exception {
        assertThat(program.ask("load " + library)).isEqualTo("loaded");
        awaitLate(histograms, () -> !program.ask("watched").equals("0"));
    }

    private static void awaitLate(Histograms histograms, Callable<Boolean> isDone) throws Exception {
        long endNs = System.nanoTime() + BOUND.toNanos();
        while (!isDone.call()) {
            assertThat(System.nanoTime()).isLessThan(endNs);
            histograms.look();
        }
    }

    private static Histograms open(CProgram.Running program, HistogramSpec... specs) throws Exception {
        return Histograms.open(new HistogramRequest(TargetSelection.ofPids(List.of(program.pid())), List.of(specs)));
    }

    /** Counts in a command from its start to its end, which must be a good one. */
    private static Counted count(boolean followChildren, List<String> command, HistogramSpec... specs)
            throws Exception {
        try (Histograms histograms = Histograms.open(
                new HistogramRequest(TargetSelection.ofCommand(command), followChildren, List.of(specs)))) {
            histograms.attach();
            long endNs = System.nanoTime() + BOUND.toNanos();
            Optional<String> ended = histograms.ended();
            while (ended.isEmpty()) {
                assertThat(System.nanoTime()).isLessThan(endNs);
                LockSupport.parkNanos(1_000_000);
                histograms.look();
                ended = histograms.ended();
            }
            assertThat(ended.get()).endsWith("ended with status 0");
            histograms.detach();
            return new Counted(histograms.snapshot().tables(), histograms.warnings(), histograms.misspelled());
        }
    }

    private static List<String> plugins(String arguments, Path library) {
        return Stream.of(
                        Stream.of(plugins.executable().toString()),
                        Stream.of(arguments.split(" ")),
                        Stream.of(library.toString()))
                .flatMap(part -> part)
                .toList();
    }

    private static HistogramSpec spec(String probe, String keys) {
        return HistogramSpec.of(
                SpecParser.parse(probe), Optional.empty(), List.of(keys.split(",")), Optional.of(Bucketing.COUNT));
    }

    private static Map<String, Long> counts(HistogramTable table) {
        return table.rows().stream()
                .collect(Collectors.toMap(
                        row -> row.key().stream()
                                .map(HistogramsOfLateLibrariesTest::words)
                                .collect(Collectors.joining(" ")),
                        HistogramTable.Row::total));
    }

    private static String words(KeyValue value) {
        return value.type().isText() ? value.text() : String.valueOf(value.number());
    }
}
