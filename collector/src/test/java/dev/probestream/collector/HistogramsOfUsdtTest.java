package dev.probestream.collector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.KernelTest;
import dev.probestream.collector.dialect.ArgdistLine;
import dev.probestream.collector.histogram.HistogramSpec;
import dev.probestream.collector.histogram.HistogramTable;
import dev.probestream.collector.probe.ProbeArgumentException;
import dev.probestream.collector.probe.parse.SpecParser;
import dev.probestream.collector.request.HistogramRequest;
import dev.probestream.collector.request.TargetSelection;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Counting at USDT probes: every passing of any of a name's sites is in exactly one bucket. */
@KernelTest(since = "5.8")
class HistogramsOfUsdtTest {
    private static final int PASSED = 1000;

    @TempDir
    private Path folder;

    private CProgram orders = new CProgram(Path.of(""));

    @BeforeEach
    void compile() throws Exception {
        orders = CProgram.compile(folder, "histogram/orders");
    }

    @Test
    void allSitesOfANameAreCountedByAText() throws Exception {
        for (String probe :
                List.of("usdt:shop:order", "u:shop:order", "u:order", "usdt:" + orders.executable() + ":order")) {
            HistogramTable table = count(spec(probe + "(what=arg1:str[32])", "what"));

            assertThat(counts(table)).containsExactlyInAnyOrderEntriesOf(Map.of("tea", 1000L, "milk", 500L));
            assertThat(table.lost()).isZero();
        }
    }

    @Test
    void aDeclaredNumberFallsIntoPowersOfTwo() throws Exception {
        HistogramSpec spec = HistogramSpec.of(
                SpecParser.parse("usdt:shop:order(what=arg1:str[32], number=arg2) /what == \"tea\"/"),
                Optional.of("number"),
                List.of(),
                Optional.empty());
        TreeMap<Integer, Long> expected = new TreeMap<>();
        for (int number = 0; number < PASSED; number++) {
            expected.merge(Integer.SIZE - Integer.numberOfLeadingZeros(number), 1L, Long::sum);
        }

        assertThat(count(spec).rows())
                .singleElement()
                .satisfies(row -> assertThat(row.countByBucket()).isEqualTo(expected));
    }

    @Test
    void aLineOfArgdistCountsTheSame() throws Exception {
        HistogramTable table = count(ArgdistLine.count("u:" + orders.executable() + ":order():char*:arg1"));

        assertThat(counts(table)).containsExactlyInAnyOrderEntriesOf(Map.of("tea", 1000L, "milk", 500L));
    }

    @Test
    void theSemaphoreIsRaisedOnlyMeanwhile() throws Exception {
        try (CProgram.Running program = orders.start()) {
            assertThat(program.ask("order tea 5")).isEqualTo("0");
            try (Histograms histograms = open(program, spec("usdt:shop:order", "cpu"))) {
                histograms.attach();
                assertThat(program.ask("order tea 5")).isEqualTo("5");
                histograms.detach();
                assertThat(histograms.snapshot().tables().get(0).total()).isEqualTo(5);
                assertThat(program.ask("sem")).isEqualTo("0");
            }
        }
    }

    @Test
    void aGlobWhoseProbesDeclareOtherTypesNeedsATypeThatFitsAll() throws Exception {
        assertThatThrownBy(() -> count(spec("usdt:shop:*(value=arg1)", "value")))
                .isInstanceOf(ProbeArgumentException.class)
                .hasMessageContaining("the probes declare other types: name the type, such as (x=arg1:s64)");
        assertThat(counts(count(spec("usdt:shop:*(value=arg1:s32)", "probe"))))
                .containsExactlyInAnyOrderEntriesOf(Map.of("shop:order", 1500L, "shop:sale", 1L));
    }

    @Test
    void aLibraryThatIsNamedByItsPathIsCountedAlsoWhenItIsLoadedLater() throws Exception {
        CProgram watched = CProgram.compile(folder, "usdt/watched");
        Path library = CProgram.compile(folder, "usdt/late", "-shared", "-fPIC").executable();
        try (CProgram.Running program = watched.start();
                Histograms histograms = open(program, spec("usdt:" + library + ":late:hit(n=arg1)", "n"))) {
            histograms.attach();
            program.ask("load " + library);
            program.ask("call 7");
            program.ask("call 7");
            histograms.detach();

            assertThat(histograms.snapshot().tables().get(0).rows())
                    .singleElement()
                    .satisfies(row -> {
                        assertThat(row.key().get(0).number()).isEqualTo(7);
                        assertThat(row.total()).isEqualTo(2);
                    });
        }
    }

    private HistogramTable count(HistogramSpec spec) throws Exception {
        try (CProgram.Running program = orders.start();
                Histograms histograms = open(program, spec)) {
            histograms.attach();
            assertThat(program.ask("order tea " + PASSED)).isEqualTo(String.valueOf(PASSED));
            assertThat(program.ask("order milk " + PASSED / 2)).isEqualTo(String.valueOf(PASSED / 2));
            program.ask("sale");
            histograms.detach();
            return histograms.snapshot().tables().get(0);
        }
    }

    private static Histograms open(CProgram.Running program, HistogramSpec spec) throws Exception {
        return Histograms.open(new HistogramRequest(TargetSelection.ofPids(List.of(program.pid())), List.of(spec)));
    }

    private static HistogramSpec spec(String probe, String key) {
        return HistogramSpec.of(SpecParser.parse(probe), Optional.empty(), List.of(key), Optional.empty());
    }

    private static Map<String, Long> counts(HistogramTable table) {
        return table.rows().stream()
                .collect(Collectors.toMap(row -> row.key().get(0).text(), row -> row.total()));
    }
}
