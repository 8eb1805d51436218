package dev.probestream.cli.hist;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.probestream.collector.histogram.Bucketing;
import dev.probestream.collector.histogram.HistogramSnapshot;
import dev.probestream.collector.histogram.HistogramSpec;
import dev.probestream.collector.histogram.HistogramTable;
import dev.probestream.collector.histogram.KeyValue;
import dev.probestream.collector.histogram.StackFunction;
import dev.probestream.collector.histogram.ValueSums;
import dev.probestream.collector.histogram.ValueSums.Extremes;
import dev.probestream.collector.probe.ArgumentType;
import dev.probestream.collector.probe.parse.SpecParser;
import dev.probestream.schema.record.FrameKind;
import dev.probestream.schema.record.LossReason;
import java.math.BigInteger;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Stacks with weights, letter by letter. */
class FoldedStacksTest {
    private static final StackFunction MAIN = new StackFunction("main", FrameKind.NATIVE, "", 0, 0);
    private static final StackFunction LOAD = new StackFunction("load;all", FrameKind.JS, "/srv/a b.js", 3, 5);
    private static final StackFunction READ = new StackFunction("vfs_read\n", FrameKind.KERNEL, "", 0, 0);

    private final HistogramTable counts = new HistogramTable(
            spec(List.of("kstack", "comm", "ustack"), Optional.empty()),
            List.of(
                    row(List.of(stack(READ), text("a;b"), stack(LOAD, MAIN)), 3, ValueSums.NONE),
                    row(List.of(stack(READ), text("a;b"), stack(MAIN)), 40, ValueSums.NONE)),
            new TreeMap<>(Map.of(LossReason.RING_FULL, 7L)),
            0);

    @Test
    void aLineHasTheKeysTheProgramAndTheKernelAndTheCount() {
        assertThat(FoldedStacks.lines(counts))
                .containsExactly("a:b;main;vfs_read\\n 40", "a:b;main;load:all (/srv/a b.js:3);vfs_read\\n 3");
    }

    @Test
    void theWeightOfSumsIsTheSum() {
        ValueSums sums = new ValueSums(2, BigInteger.TEN.pow(20), Extremes.NONE, Extremes.NONE);
        HistogramTable table = new HistogramTable(
                spec(List.of("function"), Optional.of(Bucketing.sums(Bucketing.Form.SUM))),
                List.of(row(List.of(stack(MAIN)), 2, sums)),
                new TreeMap<>(),
                0);

        assertThat(FoldedStacks.lines(table)).containsExactly("main 100000000000000000000");
        assertThat(FoldedStacks.isFoldable(table.spec())).isTrue();
        assertThat(FoldedStacks.isFoldable(spec(List.of("function"), Optional.of(Bucketing.sums(Bucketing.Form.AVG)))))
                .isFalse();
        assertThat(FoldedStacks.isFoldable(spec(List.of("comm"), Optional.empty())))
                .isFalse();
    }

    @Test
    void thePageSaysWhatIsMissing() throws Exception {
        String page = new ObjectMapper()
                .writeValueAsString(FlameOutput.contents(
                        new HistogramSnapshot(0, 2_000_000_000, List.of(counts)),
                        Instant.parse("2026-01-02T03:04:05Z")));

        assertThat(page)
                .contains("{\"label\":\"hits\",\"value\":\"43\"}", "{\"label\":\"not counted\",\"value\":\"7\"}")
                .contains("\"isWhole\":false", "\"title\":\"hits by kstack, comm, ustack\",\"unit\":\"hits\"")
                .contains("\"name\":\"all\",\"full\":\"\",\"value\":43.0,\"type\":\"other\"")
                .contains(
                        "\"name\":\"load;all\",\"full\":\"\",\"value\":3.0,\"type\":\"js\",\"file\":\"/srv/a b.js\",\"line\":3");
    }

    @Test
    void aStackIsBelowItsRowAndSumsAreInColumns() {
        ValueSums sums = new ValueSums(
                2,
                BigInteger.valueOf(-3000),
                new Extremes(true, BigInteger.valueOf(-2999), BigInteger.valueOf(-1)),
                Extremes.NONE);
        HistogramTable table = new HistogramTable(
                spec(List.of("comm", "ustack"), Optional.of(Bucketing.sums(Bucketing.Form.STATS))),
                List.of(row(List.of(text("node"), stack(LOAD, MAIN)), 2, sums)),
                new TreeMap<>(Map.of(LossReason.RING_FULL, 5L)),
                0);

        assertThat(new HistogramText(20).draw(new HistogramSnapshot(0, 1, List.of(table))))
                .containsExactly(
                        "uprobe:f(n=arg1:s64) [ustack]",
                        "    COUNT      AVERAGE    SUM        MIN        MAX        comm, ustack",
                        "    2          -1,500     -3,000     -2,999     -1         comm = node",
                        "        load;all (/srv/a b.js:3)",
                        "        main",
                        "    NOT COUNTED: 5, the kernel's table of keys or of stacks was full; use fewer keys, or a filter");
    }

    private static HistogramSpec spec(List<String> keys, Optional<Bucketing> form) {
        return HistogramSpec.of(
                SpecParser.parse("uprobe:f(n=arg1:s64)"),
                Optional.of("n").filter(name -> form.isPresent()),
                keys,
                form.or(() -> Optional.of(Bucketing.COUNT)));
    }

    private static HistogramTable.Row row(List<KeyValue> key, long count, ValueSums sums) {
        return new HistogramTable.Row(key, new TreeMap<>(Map.of(0, count)), sums);
    }

    private static KeyValue stack(StackFunction... functions) {
        return KeyValue.stack(List.of(functions));
    }

    private static KeyValue text(String text) {
        return KeyValue.text(ArgumentType.string(64), text);
    }
}
