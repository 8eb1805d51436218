package dev.probestream.query.report.comparison;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.convert.ConversionProgress;
import dev.probestream.query.Limits;
import dev.probestream.query.Recordings;
import dev.probestream.query.report.Finding;
import dev.probestream.query.report.Finding.Severity;
import dev.probestream.query.report.ReportPart;
import dev.probestream.query.report.Section;
import dev.probestream.query.report.analysis.Planted;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two recordings of 4 s of a server that asks a database for each order, made by SQL. */
class ComparedRecordingsTest {
    @TempDir
    private Path folder;

    @Test
    void namesTheStatementThatBecameSlowBeforeTheRouteThatWaitsForIt() throws Exception {
        Path before = recording("before", 1, 4, 1);
        Path after = recording("after", 2, 40, 1);

        ComparisonReport report = compare(before, after);

        Finding first = report.contents().findings().get(0);
        assertThat(first.rule()).isEqualTo("changed");
        assertThat(first.severity()).isEqualTo(Severity.HIGH);
        assertThat(first.title())
                .startsWith("The median of db.test:5432 SELECT orders rose from 4.")
                .contains(" to 4");
        assertThat(report.contents().findings())
                .extracting(Finding::title)
                .anyMatch(title -> title.startsWith("The median of GET /orders/:id rose"))
                .noneMatch(title -> title.contains("/health"));
        Section changes = report.contents().sections().get(0);
        assertThat(changes.id()).isEqualTo("changes");
        assertThat(changes.parts())
                .filteredOn(part -> part.title().equals("Changes"))
                .singleElement()
                .satisfies(part -> assertThat(((ReportPart.Table) part).rows().get(0))
                        .startsWith("outgoing", "db.test:5432 SELECT orders", "median", "ms"));
        assertThat(report.contents().captures()).hasSize(2);
        assertThat(report.lines()).anyMatch(line -> line.startsWith("HIGH    The median of db.test:5432"));
    }

    @Test
    void namesAStatementThatIsRepeatedForEachRequest() throws Exception {
        ComparisonReport report = compare(recording("before", 1, 4, 1), recording("after", 2, 4, 6));

        assertThat(report.contents().findings())
                .filteredOn(finding -> finding.severity() != Severity.NOTE)
                .extracting(Finding::title)
                .containsExactly(
                        "The calls of db.test:5432 SELECT orders rose from 0.5 per request to 3.0 per request.");
    }

    @Test
    void ofTheSameServerNothingChanged() throws Exception {
        ComparisonReport report = compare(recording("before", 1, 4, 1), recording("after", 2, 4.1, 1));

        assertThat(report.contents().findings())
                .filteredOn(finding -> finding.rule().equals("changed"))
                .extracting(Finding::title)
                .containsExactly("Nothing changed.");
    }

    @Test
    void recordingsOfOneTimeOrOfOtherProgramsAreNotComparedUnasked() throws Exception {
        Path before = recording("before", 1, 4, 1);
        try (Recordings first = open(before);
                Recordings later = open(recording("later", 2, 4, 1));
                Recordings same = open(recording("same", 3, 4, 1, "", 0));
                Recordings other = open(recording("other", 4, 4, 1, "UPDATE processes SET name = 'deno'", 60))) {
            ComparedRecording compared = ComparedRecording.of(first).orElseThrow();
            assertThat(compared.isOfSameProgramAtAnotherTime(
                            ComparedRecording.of(later).orElseThrow()))
                    .isTrue();
            assertThat(compared.isOfSameProgramAtAnotherTime(
                            ComparedRecording.of(same).orElseThrow()))
                    .isFalse();
            assertThat(compared.isOfSameProgramAtAnotherTime(
                            ComparedRecording.of(other).orElseThrow()))
                    .isFalse();
        }
    }

    @Test
    void namesTheRouteThatBecameSlowerWithItsFunctionFirst() throws Exception {
        ComparisonReport report = compare(routes("before", 1, 2.6, 0), routes("after", 2, 3.9, 40));

        Finding first = report.contents().findings().get(0);
        assertThat(first.title())
                .startsWith("The median of GET /prices/:id rose from 2.")
                .contains("; checksum (shop/prices.js:6) takes 2.0 ms of CPU time per request, before none");
        Section changes = report.contents().sections().get(0);
        assertThat(changes.parts())
                .extracting(ReportPart::title)
                .contains(
                        "CPU time per request that GET /prices/:id gained",
                        "The smallest change that would have been seen");
        assertThat(report.lines()).anyMatch(line -> line.startsWith("        median of GET /items/:id: 2"));
        assertThat(changes.parts())
                .filteredOn(part -> part instanceof ReportPart.Flame)
                .singleElement()
                .satisfies(part -> assertThat(((ReportPart.Flame) part).root().children())
                        .extracting(ReportPart.Node::name)
                        .containsExactly("handler"));
    }

    /** 400 requests of two routes in turn; {@code samples} in the function {@code checksum} that one of them calls. */
    private Path routes(String name, int capture, double pricesMs, int samples) throws Exception {
        try (Planted planted = new Planted()) {
            long usual = planted.stack("sort /srv/shop/list.js:3", "handler /srv/shop/prices.js:20");
            long dear = planted.stack("checksum /srv/shop/prices.js:6", "handler /srv/shop/prices.js:20");
            for (int i = 0; i < 400; i++) {
                double atMs = 10 * i;
                boolean isPrices = i % 2 == 0;
                double ms = (isPrices ? pricesMs : 2.6) * (1 + 0.02 * (i * 7 % 11));
                planted.request("SERVER", (isPrices ? "/prices/" : "/items/") + i, atMs, atMs + ms, "200 AS status");
                if (i % 10 < 2) {
                    planted.samples(Planted.LOOP, atMs + 0.1, atMs + 0.2, usual);
                }
                if (isPrices && i / 2 < samples) {
                    planted.samples(Planted.LOOP, atMs + 0.3, atMs + 0.4, dear);
                }
            }
            planted.event(Planted.LOOP, "node-http", "HTTP request", 0, Map.of("stream", 5), 0);
            planted.event(Planted.LOOP, "sched", "sched_waking", 4000, Map.of("woken", 9), 0);
            planted.sql("INSERT INTO request_events BY NAME SELECT e.capture_id, r.request_id, e.sequence FROM events e"
                    + " JOIN requests r ON e.mono_ns BETWEEN r.mono_ns AND r.mono_ns + r.duration_ns"
                    + " WHERE e.category = 'profile'");
            planted.sql("UPDATE captures SET ts = ts + INTERVAL %d SECOND, end_mono_ns = 4000000000"
                    .formatted(60 * (capture - 1)));
            for (String table : List.of(
                    "captures", "processes", "threads", "requests", "request_events", "events", "probes", "stacks")) {
                planted.sql("UPDATE %s SET capture_id = %d".formatted(table, capture));
            }
            return planted.write(folder.resolve(name));
        }
    }

    private ComparisonReport compare(Path before, Path after) throws Exception {
        try (Recordings first = open(before);
                Recordings second = open(after)) {
            return ComparisonReport.of(
                    ComparedRecording.of(first).orElseThrow(),
                    ComparedRecording.of(second).orElseThrow(),
                    "test",
                    Instant.EPOCH);
        }
    }

    private static Recordings open(Path path) throws Exception {
        return Recordings.open(List.of(path), Limits.standard(), ConversionProgress.NONE);
    }

    private Path recording(String name, int capture, double statementMs, int statements) throws Exception {
        return recording(name, capture, statementMs, statements, "", 60 * (capture - 1));
    }

    /** 400 requests; every second one asks the database. The set sched saw no wait for a CPU. */
    private Path recording(String name, int capture, double statementMs, int statements, String sql, int afterSeconds)
            throws Exception {
        try (Planted planted = new Planted()) {
            for (int i = 0; i < 400; i++) {
                double atMs = 10 * i;
                boolean isOrder = i % 2 == 0;
                // Times that vary a little, in a pattern that is not that of the blocks.
                double ms = statementMs * (1 + 0.02 * (i * 7 % 11));
                planted.request(
                        "SERVER",
                        (isOrder ? "/orders/" : "/health/") + i,
                        atMs,
                        atMs + 2 + (isOrder ? ms : 0),
                        "200 AS status");
                for (int j = 0; isOrder && j < statements; j++) {
                    planted.request("CLIENT", "", atMs + 1, atMs + 1 + ms, """
                            'db.test' AS peer_name, 5432 AS remote_port, 'postgresql' AS protocol, 'PostgreSQL' AS database, 'SELECT orders' AS operation,
                            'SELECT * FROM orders WHERE id = $1' AS statement, 1 AS parent_request_id""");
                }
            }
            planted.event(Planted.LOOP, "node-http", "HTTP request", 0, Map.of("stream", 5), 0);
            planted.event(Planted.LOOP, "sched", "sched_waking", 4000, Map.of("woken", 9), 0);
            planted.sql("UPDATE requests SET method = NULL, url = NULL WHERE side = 'CLIENT'");
            planted.sql("UPDATE captures SET ts = ts + INTERVAL %d SECOND, end_mono_ns = 4000000000"
                    .formatted(afterSeconds));
            for (String table : List.of("captures", "processes", "threads", "requests", "events", "probes")) {
                planted.sql("UPDATE %s SET capture_id = %d".formatted(table, capture));
            }
            if (!sql.isEmpty()) {
                planted.sql(sql);
            }
            return planted.write(folder.resolve(name));
        }
    }
}
