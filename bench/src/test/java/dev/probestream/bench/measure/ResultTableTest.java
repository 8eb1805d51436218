package dev.probestream.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ResultTableTest {
    @Test
    void budgetsSayWhetherTheyWereKept() {
        ResultTable table = new ResultTable();
        table.atMost("slow", 12.5, "ns", 10);
        table.atLeast("fast", 1234.6, "ns", 10);
        table.note("A remark.");

        assertThat(printed(table)).isEqualTo("""
                        | what | median   | spread | ratio | budget          |
                        |------|----------|--------|-------|-----------------|
                        | slow | 12.5 ns  |        |       | <= 10.0: MISSED |
                        | fast | 1,235 ns |        |       | >= 10.0: kept   |

                        A remark.
                        """);
    }

    @Test
    void tablesOfTheirOwnComeFirst() {
        ResultTable table = new ResultTable();
        Grid grid = new Grid("way", "ratio");
        grid.add(List.of("all", "1.5"));
        table.grid(grid);

        assertThat(printed(table)).isEqualTo("""
                        | way | ratio |
                        |-----|-------|
                        | all | 1.5   |
                        """);
    }

    private static String printed(ResultTable table) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        table.print(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
