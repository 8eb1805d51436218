package dev.probestream.cli.hist;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.probestream.collector.histogram.Bucketing;
import dev.probestream.collector.histogram.HistogramSnapshot;
import dev.probestream.collector.histogram.HistogramSpec;
import dev.probestream.collector.histogram.HistogramTable;
import dev.probestream.collector.histogram.KeyValue;
import dev.probestream.collector.probe.ArgumentType;
import dev.probestream.collector.probe.parse.SpecParser;
import dev.probestream.schema.record.LossReason;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What a person sees, letter by letter, and what a script reads. */
class HistogramOutputTest {
    private static final ArgumentType S32 = ArgumentType.number(ArgumentType.Form.S32);
    private static final ArgumentType STR = ArgumentType.string(64);

    @Test
    void durationsAreDrawnWithTheirUnits() {
        HistogramSpec spec = HistogramSpec.of(
                SpecParser.parse("span:libc.so.6:read(fd=arg1:s32)"),
                Optional.empty(),
                List.of("fd"),
                Optional.empty());
        HistogramTable table = new HistogramTable(
                spec,
                List.of(
                        row(List.of(KeyValue.number(S32, 3)), Map.of(10, 4L, 11, 40L, 13, 1L)),
                        row(List.of(KeyValue.unreadable(S32)), Map.of(Bucketing.UNREADABLE, 2L))),
                new TreeMap<>(Map.of(LossReason.RING_FULL, 1234L)),
                1);

        assertThat(new HistogramText(20).draw(snapshot(table)))
                .containsExactly(
                        "span:libc.so.6:read(fd=arg1:s32)",
                        "  fd = 3",
                        "                 value : count distribution",
                        "     512 ns -> 1.02 us : 4     |****                                    |",
                        "    1.02 us -> 2.05 us : 40    |****************************************|",
                        "    2.05 us -> 4.10 us : 0     |                                        |",
                        "    4.10 us -> 8.19 us : 1     |*                                       |",
                        "  fd = (unreadable)",
                        "           value : count distribution",
                        "    (unreadable) : 2     |****************************************|",
                        "    NOT COUNTED: 1,234, the kernel's table of keys was full; use fewer keys",
                        "    1 entered and not returned");
    }

    @Test
    void countsAreListedAndTheRestIsSummedUp() {
        HistogramSpec spec = HistogramSpec.of(
                        SpecParser.parse("uprobe:open(path=arg1:str)"), Optional.empty(), List.of(), Optional.empty())
                .labelled("opens\u001b[2J");
        HistogramTable table = new HistogramTable(
                spec,
                List.of(
                        row(List.of(KeyValue.text(STR, "/etc/passwd")), Map.of(0, 3L)),
                        row(List.of(KeyValue.text(STR, "a\nb\u0007")), Map.of(0, 12_345L)),
                        row(List.of(KeyValue.text(STR, "c")), Map.of(0, 1L)),
                        row(List.of(KeyValue.text(STR, "d")), Map.of(0, 1L))),
                new TreeMap<>(),
                0);

        assertThat(new HistogramText(2).draw(snapshot(table)))
                .containsExactly(
                        "opens\\x1b[2J",
                        "    COUNT      path",
                        "    12,345     path = a\\nb\\x07",
                        "    3          path = /etc/passwd",
                        "    others: 2 hits of 2 keys (--top shows more)");
    }

    @Test
    void linearBucketsAndSingleValuesAreNamed() {
        HistogramSpec spec = HistogramSpec.of(
                SpecParser.parse("uprobe:f(n=arg1:s64)"),
                Optional.of("n"),
                List.of(),
                Optional.of(Bucketing.linear(0, 3, 1)));
        HistogramTable table =
                new HistogramTable(spec, List.of(row(List.of(), Map.of(0, 1L, 2, 2L, 4, 1L))), new TreeMap<>(), 0);

        assertThat(new HistogramText(2).draw(snapshot(table)))
                .containsExactly(
                        "uprobe:f(n=arg1:s64)",
                        "        value : count distribution",
                        "    ... -> -1 : 1     |********************                    |",
                        "            0 : 0     |                                        |",
                        "            1 : 2     |****************************************|",
                        "            2 : 0     |                                        |",
                        "     3 -> ... : 1     |********************                    |");
    }

    @Test
    void jsonHasExactBounds() throws Exception {
        HistogramSpec spec = HistogramSpec.of(
                SpecParser.parse("uprobe:f(n=arg1:u64, w=arg2:str)"),
                Optional.of("n"),
                List.of("w"),
                Optional.of(Bucketing.LOG2));
        HistogramTable table = new HistogramTable(
                spec,
                List.of(
                        row(
                                List.of(KeyValue.text(STR, "a\"b")),
                                Map.of(64, 2L, 0, 1L, Bucketing.NEGATIVE, 3L, Bucketing.UNREADABLE, 1L)),
                        row(List.of(KeyValue.unreadable(STR)), Map.of(1, 1L))),
                new TreeMap<>(Map.of(LossReason.RECURSION, 5L)),
                2);

        JsonNode root = new ObjectMapper().readTree(new HistogramJson().line(snapshot(table), true));

        assertThat(root.get("is_total").asBoolean()).isTrue();
        JsonNode histogram = root.get("histograms").get(0);
        assertThat(histogram.get("of").asText()).isEqualTo("n");
        assertThat(histogram.get("lost").get("RECURSION").asLong()).isEqualTo(5);
        assertThat(histogram.get("open_calls").asLong()).isEqualTo(2);
        JsonNode first = histogram.get("rows").get(0);
        assertThat(first.get("key").get(0).asText()).isEqualTo("a\"b");
        assertThat(first.get("count").asLong()).isEqualTo(7);
        assertThat(first.get("buckets").get(0).get("unreadable").asBoolean()).isTrue();
        assertThat(first.get("buckets").get(1).get("to").asLong()).isEqualTo(-1);
        assertThat(first.get("buckets").get(3).get("from").bigIntegerValue())
                .isEqualTo(new BigInteger("9223372036854775808"));
        assertThat(first.get("buckets").get(3).get("to").bigIntegerValue())
                .isEqualTo(new BigInteger("18446744073709551615"));
        assertThat(histogram.get("rows").get(1).get("key").get(0).isNull()).isTrue();
    }

    private static HistogramTable.Row row(List<KeyValue> key, Map<Integer, Long> counts) {
        return new HistogramTable.Row(key, new TreeMap<>(counts));
    }

    private static HistogramSnapshot snapshot(HistogramTable table) {
        return new HistogramSnapshot(0, 1_000_000_000, List.of(table));
    }
}
