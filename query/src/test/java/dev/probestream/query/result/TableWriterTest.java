package dev.probestream.query.result;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.query.result.ResultWriter.ResultColumn;
import java.io.IOException;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tables as a person sees them. */
class TableWriterTest {
    private static final List<ResultColumn> COLUMNS = List.of(
            new ResultColumn("ts", false),
            new ResultColumn("url", false),
            new ResultColumn("duration_ns", true),
            new ResultColumn("sent_bytes", true),
            new ResultColumn("mono_ns", true));

    @Test
    void numbersStandRightWithTheirUnits() throws Exception {
        assertThat(table(
                        80,
                        COLUMNS,
                        row("2026-11-21T10:00:00.000001Z", "/a", 950L, 0L, 1L),
                        row("2026-11-21T10:00:01.000000Z", "/日本", 12_345_678L, 1_234_567L, 38_611_500_284_005L),
                        row(null, "", -2_500_000_000L, null, null)))
                .isEqualTo("""
                        ts                          url    duration_ns  sent_bytes         mono_ns
                        ──────────────────────────  ─────  ───────────  ──────────  ──────────────
                        2026-11-21 10:00:00.000001  /a          950 ns         0 B               1
                        2026-11-21 10:00:01.000000  /日本    12.346 ms      1.2 MB  38611500284005
                        NULL                                  -2.500 s        NULL            NULL
                        """);
    }

    @Test
    void theWidestTextIsCutToFit() throws Exception {
        List<ResultColumn> columns = List.of(new ResultColumn("a", false), new ResultColumn("b", false));
        assertThat(table(40, columns, row("short", "x".repeat(50)), row("also short", "y")))
                .isEqualTo("""
                        a           b
                        ──────────  ────────────────────────────
                        short       xxxxxxxxxxxxxxxxxxxxxxxxxxx…
                        also short  y
                        """);
    }

    @Test
    void whatFitsNowhereIsABlockOfLines() throws Exception {
        assertThat(table(40, COLUMNS, row("2026-11-21T10:00:00.000001Z", "u".repeat(40), 1L, 2L, 3L)))
                .isEqualTo("""
                        ── row 1 ──
                        ts           2026-11-21 10:00:00.000001
                        url          uuuuuuuuuuuuuuuuuuuuuuuuuu…
                        duration_ns  1 ns
                        sent_bytes   2 B
                        mono_ns      3
                        """);
    }

    @Test
    void whatATerminalWouldObeyIsSpelledOut() throws Exception {
        List<ResultColumn> columns = List.of(new ResultColumn("x\u001b[2J", false));
        assertThat(table(80, columns, row("a\u001b]0;title\u0007\n\u202eb")))
                .isEqualTo("""
                        x\\x1b[2J
                        ─────────────────────────────
                        a\\x1b]0;title\\x07\\n\\u202eb
                        """.replace("─────────────────────────────", "─".repeat(26)));
    }

    @Test
    void laterRowsAreCutButNeverTheirNumbers() throws Exception {
        List<ResultColumn> columns = List.of(new ResultColumn("n", true), new ResultColumn("t", false));
        StringWriter out = new StringWriter();
        TableWriter writer = new TableWriter(out, 80);
        writer.begin(columns);
        for (int i = 0; i < 1_000; i++) {
            writer.row(row((long) i, "text"));
        }
        writer.row(row(123_456_789L, "longer than those before"));
        writer.end();
        assertThat(out.toString()).endsWith("999  text\n123456789  lon…\n");
    }

    @Test
    void nothingIsCutWhereThereIsRoomWithoutEnd() throws Exception {
        String wide = "x".repeat(5_000);
        List<ResultColumn> columns = IntStream.range(0, 30)
                .mapToObj(i -> new ResultColumn("c" + i, false))
                .toList();
        Object[] values = new Object[30];
        Arrays.fill(values, wide);
        assertThat(table(Integer.MAX_VALUE, columns, values))
                .doesNotContain("…")
                .contains(wide);
    }

    @Test
    void aResultWithoutRowsHasItsHead() throws Exception {
        assertThat(table(80, List.of(new ResultColumn("a", true)))).isEqualTo("a\n─\n");
    }

    private static @Nullable Object[] row(@Nullable Object... values) {
        return values;
    }

    private static String table(int width, List<ResultColumn> columns, @Nullable Object[]... rows) throws IOException {
        StringWriter out = new StringWriter();
        TableWriter writer = new TableWriter(out, width);
        writer.begin(columns);
        for (Object[] row : rows) {
            writer.row(row);
        }
        writer.end();
        return out.toString();
    }
}
