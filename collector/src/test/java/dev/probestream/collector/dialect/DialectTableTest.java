package dev.probestream.collector.dialect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.probestream.collector.histogram.HistogramException;
import dev.probestream.collector.histogram.HistogramSpec;
import dev.probestream.collector.probe.LineSyntaxException;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.SpecSyntaxException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The table of docs/dialect.md: what becomes of lines of bcc's and bpftrace's documentation. */
class DialectTableTest {
    private static final Path PAGE = Path.of("..", "docs", "dialect.md");
    private static final int LEAST_LINES = 60;
    private static final Pattern ROW =
            Pattern.compile("\\| (trace|trace -e|hist|hist -e|hist -C|hist -H) \\| `(.*)` \\| (\\w+) \\| (.*) \\|");

    record Row(String command, String line, String result, String then) {}

    static List<Row> rows() throws IOException {
        return Files.readAllLines(PAGE).stream()
                .map(ROW::matcher)
                .filter(Matcher::matches)
                .map(row -> new Row(
                        row.group(1),
                        row.group(2).replace("\\|", "|"),
                        row.group(3),
                        row.group(4).replace("\\|", "|").replaceFirst("^`(.*)`$", "$1")))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("rows")
    void theTableIsTrue(Row row) {
        switch (row.result()) {
            case "verbatim" -> assertThat(specs(row)).isEqualTo(row.then());
            case "rewritten" -> {
                assertThat(refusal(row)).contains(row.then());
                if (row.then().startsWith("t:")) {
                    assertThat(TraceLine.parse(row.then())).hasSize(1);
                }
            }
            case "refused" -> assertThat(refusal(row)).contains(row.then());
            default -> fail("an unknown result: " + row);
        }
    }

    @Test
    void thePageCountsItsLines() throws IOException {
        List<Row> rows = rows();
        String page = Files.readString(PAGE);

        assertThat(rows).hasSizeGreaterThan(LEAST_LINES);
        assertThat(page).contains("has " + rows.size() + " of them");
        for (String result : List.of("verbatim", "rewritten", "refused")) {
            long count =
                    rows.stream().filter(row -> row.result().equals(result)).count();
            assertThat(page.replaceAll("\\s+", " ")).containsPattern(count + " are [a-z ]*(\\*\\*|refused)");
        }
    }

    private static String refusal(Row row) {
        try {
            return fail("accepted as " + specs(row) + ": " + row);
        } catch (LineSyntaxException | SpecSyntaxException | HistogramException refused) {
            return String.valueOf(refused.getMessage());
        }
    }

    private static String specs(Row row) {
        String line = row.line();
        List<ProbeSpec> specs = switch (row.command()) {
            case "trace", "trace -e" ->
                TraceLine.parse(line).stream().map(TraceLine::spec).toList();
            case "hist -C" -> List.of(ArgdistLine.count(line).probe());
            case "hist -H" -> List.of(ArgdistLine.histogram(line).probe());
            default ->
                HistogramLine.parse(line, Optional.empty(), List.of(), Optional.empty()).stream()
                        .map(HistogramSpec::probe)
                        .toList();
        };
        return specs.stream().map(ProbeSpec::text).collect(Collectors.joining("; "));
    }
}
