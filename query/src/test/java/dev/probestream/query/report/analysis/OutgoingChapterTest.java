package dev.probestream.query.report.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.query.report.ReportContents;
import dev.probestream.query.report.ReportPart;
import dev.probestream.query.report.Section;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The chapter "Outgoing": what the process asked of others. */
class OutgoingChapterTest {
    @TempDir
    private Path folder;

    @Test
    void showsPeersOperationsErrorsAndWhoOrdered() throws Exception {
        try (Planted planted = new Planted().turns(999)) {
            for (int i = 0; i < 10; i++) {
                planted.request("SERVER", "/orders/" + i, 100 * i, 100 * i + 80, "200 AS status");
                planted.request("CLIENT", "/items/" + i, 100 * i, 100 * i + 10 + i, """
                        'db.test' AS peer_name, 5432 AS remote_port, 'postgresql' AS protocol, 'PostgreSQL' AS database, 'SELECT items' AS operation,
                        'load (lib/items.js:4)' AS caller, %d AS waited_ns, %d AS parent_request_id, %s AS error_code""".formatted(
                                i < 3 ? 5_000_000 : 0, 2 * i + 1, i == 4 ? "'57014'" : "NULL"));
            }
            planted.sql("UPDATE requests SET method = NULL, url = NULL WHERE side = 'CLIENT'");
            planted.request("CLIENT", "/beat", 500, 502, """
                    '10.0.0.7' AS remote_address, 4318 AS remote_port, 503 AS status,
                    'flush (node_modules/beacon/index.js:8)' AS caller, 'beacon' AS caller_package""");

            Section outgoing = section(planted.report(folder));

            assertThat(outgoing.parts())
                    .extracting(ReportPart::title)
                    .containsExactly(
                            "Requests by peer",
                            "Latency by peer (p99)",
                            "Errors",
                            "By peer and operation",
                            "Ordered by no request",
                            "The slowest");
            assertThat(cells(
                            outgoing,
                            "By peer and operation",
                            "peer",
                            "operation",
                            "count",
                            "errors",
                            "waited",
                            "ordered by"))
                    .containsExactly("db.test:5432|SELECT items|10|57014 1|3|GET /orders/:id (10)");
            assertThat(cells(outgoing, "Ordered by no request", "peer", "operation", "errors", "from", "package"))
                    .containsExactly("10.0.0.7:4318|GET /beat|503 1|flush (node_modules/beacon/index.js:8)|beacon");
            assertThat(cells(outgoing, "The slowest", "peer", "took").get(0)).isEqualTo("db.test:5432|19.0");
            assertThat(((ReportPart.Series) outgoing.parts().get(0)).lines())
                    .extracting(ReportPart.Line::name)
                    .containsExactly("db.test:5432", "10.0.0.7:4318");
        }
    }

    @Test
    void manyPeersHaveOneLineTogether() throws Exception {
        try (Planted planted = new Planted().turns(999)) {
            for (int i = 0; i < 9; i++) {
                planted.request("CLIENT", "/", 100 * i, 100 * i + 10, "'10.0.0.%d' AS remote_address".formatted(i));
            }
            ReportPart.Series rates =
                    (ReportPart.Series) section(planted.report(folder)).parts().get(0);

            assertThat(rates.lines()).hasSize(6).last().satisfies(line -> {
                assertThat(line.name()).isEqualTo("others");
                assertThat(line.values().stream().filter(value -> value != null && value > 0))
                        .hasSize(4);
            });
        }
    }

    @Test
    void saysThatNothingWentOutWhereThatWasWatched() throws Exception {
        try (Planted planted = new Planted().turns(3)) {
            assertThat(planted.report(folder).sections())
                    .extracting(Section::id)
                    .doesNotContain("outgoing");
        }
        try (Planted planted = new Planted().turns(3)) {
            planted.event(Planted.LOOP, "node-http", "HTTP request", 1, Map.of("stream", 5), 0);
            assertThat(section(planted.report(folder)).parts())
                    .singleElement()
                    .isInstanceOfSatisfying(
                            ReportPart.Words.class,
                            words -> assertThat(words.text()).startsWith("Nothing went out"));
        }
    }

    private static Section section(ReportContents report) {
        return report.sections().stream()
                .filter(section -> section.id().equals("outgoing"))
                .findFirst()
                .orElseThrow();
    }

    private static List<String> cells(Section section, String title, String... columns) {
        ReportPart.Table table = section.parts().stream()
                .filter(part -> part.title().equals(title))
                .map(ReportPart.Table.class::cast)
                .findFirst()
                .orElseThrow();
        List<String> names =
                table.columns().stream().map(ReportPart.Column::name).toList();
        List<String> rows = new ArrayList<>();
        for (List<Object> row : table.rows()) {
            rows.add(String.join(
                    "|",
                    List.of(columns).stream()
                            .map(column -> String.valueOf(row.get(names.indexOf(column))))
                            .toList()));
        }
        return rows;
    }
}
