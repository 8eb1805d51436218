package dev.probestream.query.report.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.probestream.query.QueryException;
import dev.probestream.query.report.Finding;
import dev.probestream.query.report.ReportContents;
import dev.probestream.query.report.ReportPart;
import dev.probestream.query.report.Section;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a report holds beside its findings. */
class ReportAnalysisTest {
    @TempDir
    private Path folder;

    @Test
    void ofNothingIsRefusedWithAReason() throws Exception {
        try (Planted nothing = new Planted()) {
            assertThatThrownBy(() -> nothing.report(folder))
                    .isInstanceOf(QueryException.class)
                    .hasMessageContaining("contain no hit");
        }
    }

    @Test
    void healthyRecordingSaysSo() throws Exception {
        try (Planted planted = new Planted()) {
            ReportContents report = planted.turns(3, 2, 4).report(folder);

            assertThat(report.title()).isEqualTo("node (pid 100) on web-1, 2026-01-01 00:00 UTC, 13 ms");
            assertThat(report.findings()).extracting(Finding::title).containsExactly("Nothing stands out.");
            assertThat(report.captures()).hasSize(1);
            assertThat(report.captures().get(0).isWhole()).isTrue();
        }
    }

    @Test
    void advisesToRecordWhatWouldHaveToldMore() throws Exception {
        try (Planted planted = new Planted()) {
            ReportContents report = planted.turns(3).report(folder);

            assertThat(report.advice())
                    .extracting(ReportContents.Advice::remedy)
                    .contains("record --probes incident (or profile)", "record --probes incident (or node-callers)");
        }
    }

    @Test
    void everyPieceOfEvidenceLeadsToASection() throws Exception {
        ReportContents report = busy();

        List<String> sections = report.sections().stream().map(Section::id).toList();
        assertThat(sections)
                .doesNotHaveDuplicates()
                .contains("requests", "loop", "cpu", "waiting", "files", "recorded");
        assertThat(report.findings()).isNotEmpty();
        report.findings()
                .forEach(finding -> assertThat(finding.evidence())
                        .isNotEmpty()
                        .allSatisfy(evidence -> assertThat(sections).contains(evidence.sectionId())));
    }

    @Test
    void distributionHoldsEveryRequestAndLinesAreAsLongAsTheirAxis() throws Exception {
        ReportContents report = busy();

        for (Section section : report.sections()) {
            for (ReportPart part : section.parts()) {
                if (part instanceof ReportPart.Histogram histogram) {
                    assertThat(histogram.counts().stream()
                                    .mapToLong(Long::longValue)
                                    .sum())
                            .isEqualTo(10);
                    assertThat(histogram.edges())
                            .hasSize(histogram.counts().size() + 1)
                            .isSorted();
                }
                if (part instanceof ReportPart.Series series) {
                    assertThat(series.timeMs()).isSorted();
                    series.lines().forEach(line -> assertThat(line.values()).hasSameSizeAs(series.timeMs()));
                }
                if (part instanceof ReportPart.Bars bars) {
                    bars.stacks().forEach(stack -> assertThat(stack.values()).hasSameSizeAs(bars.labels()));
                }
                if (part instanceof ReportPart.Table table) {
                    table.rows().forEach(row -> assertThat(row).hasSameSizeAs(table.columns()));
                }
            }
        }
    }

    @Test
    void flameGraphHoldsEverySampleAndTellsKindsApart() throws Exception {
        ReportContents report = busy();

        ReportPart.Flame flame = flame(report);
        assertThat(flame.root().value()).isEqualTo(30);
        ReportPart.Node thread = flame.root().children().get(0);
        assertThat(thread.name()).isEqualTo("event loop");
        ReportPart.Node javaScript = thread.children().get(0);
        assertThat(javaScript)
                .extracting(ReportPart.Node::name, ReportPart.Node::type, ReportPart.Node::file, ReportPart.Node::line)
                .containsExactly("onRequest", "js", "/app/server.js", 5);
        assertThat(javaScript.children()).extracting(ReportPart.Node::type).containsExactly("native");
    }

    private static ReportPart.Flame flame(ReportContents report) {
        return report.sections().stream()
                .filter(section -> section.id().equals("cpu"))
                .flatMap(section -> section.parts().stream())
                .filter(ReportPart.Flame.class::isInstance)
                .map(ReportPart.Flame.class::cast)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void flameGraphTellsAsyncCallersAndTheLineBySourceMap() throws Exception {
        try (Planted planted = new Planted()) {
            long early = planted.stack("parse /app/dist/a.js:5", "serve /app/dist/a.js:9");
            long late = planted.stack("parse /app/dist/a.js:5", "serve /app/dist/a.js:9");
            planted.sql("UPDATE stacks SET is_async = symbol = 'serve'")
                    .sql("UPDATE stacks SET source_file = '/app/src/a.ts', source_line = 20 + stack_id"
                            + " WHERE symbol = 'parse'")
                    .samples(Planted.LOOP, 0, 100, early)
                    .samples(Planted.LOOP, 100, 300, late);

            ReportPart.Node loop =
                    flame(planted.report(folder)).root().children().get(0);

            assertThat(loop.children()).extracting(ReportPart.Node::name).containsExactly("async serve");
            assertThat(loop.children().get(0).children())
                    .extracting(ReportPart.Node::name, ReportPart.Node::line, ReportPart.Node::source)
                    .containsExactly(tuple("parse", 5, "/app/src/a.ts:" + (20 + late)));
        }
    }

    @Test
    void rateOfEvenLoadIsTheSameInEveryStepAndInTheLast() throws Exception {
        for (int lengthMs : new int[] {1000, 1990, 2013, 3005, 4999, 7777}) {
            try (Planted planted = new Planted()) {
                int everyMs = 5;
                for (int atMs = 0; atMs < lengthMs; atMs += everyMs) {
                    planted.request("SERVER", "/a", atMs, atMs + 1, "200 AS status");
                }
                planted.poll(0, 1).poll(lengthMs - 1, lengthMs);

                ReportPart.Series rate = planted.report(folder.resolve("of" + lengthMs)).sections().stream()
                        .filter(section -> section.id().equals("requests"))
                        .flatMap(section -> section.parts().stream())
                        .filter(ReportPart.Series.class::isInstance)
                        .map(ReportPart.Series.class::cast)
                        .findFirst()
                        .orElseThrow();
                // A step of 10 ms holds two requests; at its edges there may be one more or less.
                double stepMs = rate.timeMs().get(1) - rate.timeMs().get(0);
                rate.lines()
                        .get(0)
                        .values()
                        .forEach(value -> assertThat(value)
                                .as("requests/s in a step of a recording of %d ms", lengthMs)
                                .isBetween(200 - 2000 / stepMs, 200 + 2000 / stepMs));
            }
        }
    }

    @Test
    void namesOfFunctionsAreShortenedInTablesAndGraphsAndKeptInFull() throws Exception {
        String full = "std::__1::vector<int, std::__1::allocator<int>>::push_back(int&&)";
        try (Planted planted = new Planted()) {
            ReportContents report = planted.turns(300, 5, 5)
                    .samples(Planted.LOOP, 0, 300, planted.stack(full, "onRequest /app/server.js:5"))
                    .report(folder);

            String json = new ObjectMapper().writeValueAsString(report);
            assertThat(json)
                    .contains("{\"text\":\"std::vector<…>::push_back\",\"full\":\"" + full + "\"}")
                    .contains("\"name\":\"std::vector<…>::push_back\",\"full\":\"" + full + "\"");
            assertThat(report.findings().toString())
                    .contains("std::vector<…>::push_back")
                    .doesNotContain(full);
        }
    }

    @Test
    void isJson() throws Exception {
        String json = new ObjectMapper().writeValueAsString(busy());

        assertThat(new ObjectMapper().readTree(json).at("/findings/0/rule").asText())
                .isEqualTo("loop-blocked");
    }

    @Test
    void textOfTheRecordingIsNotTakenForSql() throws Exception {
        try (Planted planted = new Planted()) {
            long stack = planted.stack("it''s /app/o''hara.js:5");
            planted.turns(400, 5, 5).samples(Planted.LOOP, 2, 390, stack);
            for (int i = 0; i < 4; i++) {
                planted.event(
                        Planted.LOOP,
                        "node-dns",
                        "DNS query",
                        i * 10,
                        Map.of("host", "a''; DROP TABLE x--", "request", i),
                        0);
            }

            assertThat(planted.findings(folder))
                    .extracting(Finding::title)
                    .contains("The event loop was blocked for 400 ms by it's (app/o'hara.js:5).")
                    .anyMatch(title -> title.startsWith("Looking up a'; DROP TABLE x-- took"));
        }
    }

    /** A loop that is blocked, requests, files, samples and switches. */
    private ReportContents busy() throws Exception {
        try (Planted planted = new Planted()) {
            long stack = planted.stack("JSON_Stringify", "onRequest /app/server.js:5");
            planted.turns(300, 5, 5).samples(Planted.LOOP, 0, 300, stack);
            for (int i = 0; i < 10; i++) {
                planted.request("SERVER", "/a?x=" + i, i, 2 + i * i * 5, "200 AS status, 1000000 AS javascript_ns");
            }
            planted.span(
                    Planted.LOOP, "node-fs", "uv_fs_open", 3, 4, Map.of("path", "/x", "request", 5, "callback", 9), 0);
            planted.offCpu(Planted.LOOP, 302, 305, false);
            return planted.report(folder);
        }
    }
}
