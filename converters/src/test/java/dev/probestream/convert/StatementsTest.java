package dev.probestream.convert;

import static dev.probestream.convert.TestRecording.START_NS;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What statements to databases become in traces and tables ({@link RequestRecording#writeWithStatements}). */
class StatementsTest {
    @TempDir
    private Path folder;

    private Path recording;

    StatementsTest() {
        recording = Path.of("");
    }

    @BeforeEach
    void record() throws IOException {
        recording = RequestRecording.writeWithStatements(folder.resolve("statements.avro"));
    }

    @Test
    void statementsStandOnTracksOfTheirProtocolInPerfetto() throws IOException {
        Path output = folder.resolve("a.pftrace");
        ConversionOutcome outcome = Conversion.run(List.of(recording), output, RecordingRange.ALL);
        assertThat(Slices.of(Files.readAllBytes(output)).stream().map(Slices.Slice::toString))
                .containsExactlyInAnyOrder(
                        slice("stream I/O", 100, 190, "node"),
                        slice("GET /users", 102, 401, "HTTP server"),
                        slice("SELECT users", 130, 330, "PostgreSQL client"),
                        slice("INSERT orders", 140, 350, "MySQL client"),
                        slice("GET", 600, -1, "Redis client"));
        assertThat(outcome.events().overlapping()).isZero();
    }

    private static String slice(String name, long fromMicroseconds, long toMicroseconds, String track) {
        long endNs = toMicroseconds < 0 ? -1 : START_NS + 1_000 * toMicroseconds;
        return name + " -1 [" + (START_NS + 1_000 * fromMicroseconds) + ", " + endNs + "] at depth 0 of " + track;
    }

    @Test
    void chromeTellsTheSame() throws IOException {
        Path output = folder.resolve("a.json");
        Conversion.run(List.of(recording), output, RecordingRange.ALL);
        assertThat(Files.readString(output).lines().filter(line -> line.contains("\"ph\":\"b\",\"name\":\"INSERT")))
                .singleElement()
                .asString()
                .contains(
                        "\"cat\":\"node-db,MySQL client\"",
                        "\"parent_request\":1",
                        "\"network_ns\":210000",
                        "\"protocol\":\"mysql\",\"statement\":\"INSERT orders ***\",\"reply\":\"ERROR\","
                                + "\"error_code\":\"1062\"")
                .doesNotContain("\"rows\"", "\"method\"");
    }

    @Test
    void tablesHaveARowForEach() throws Exception {
        Path tables = Files.createDirectory(folder.resolve("tables"));
        Conversion.run(List.of(recording), tables, RecordingRange.ALL);
        assertThat(DuckDb.rows(
                        "SELECT parent_request_id, side, method, url, outcome, duration_ns, remote_address, remote_port,"
                                + " received_bytes, sent_bytes, network_ns, protocol, operation, statement, rows, reply,"
                                + " error_code, left(trace_id, 4), left(span_id, 4) FROM "
                                + DuckDb.table(tables, "requests") + " WHERE protocol <> 'http' ORDER BY mono_ns"))
                .containsExactly(
                        "1,CLIENT,,,COMPLETE,200000,10.0.0.3,5432,90,40,200000,postgresql,SELECT users,"
                                + "SELECT users ***,3,SELECT 3,,4bf9,00f0",
                        "1,CLIENT,,,COMPLETE,210000,10.0.0.3,5432,90,40,210000,mysql,INSERT orders,INSERT orders ***,,"
                                + "ERROR,1062,4bf9,00f0",
                        ",CLIENT,,,OPEN,,10.0.0.3,5432,90,40,400000,redis,GET,GET ***,,,,4bf9,00f0");
        assertThat(DuckDb.rows("SELECT s.s1, r.operation FROM " + DuckDb.table(tables, "spans") + " s JOIN "
                        + DuckDb.table(tables, "request_events") + " e USING (capture_id, sequence) JOIN "
                        + DuckDb.table(tables, "requests") + " r USING (capture_id, request_id)"
                        + " WHERE s.category = 'node-db' ORDER BY s.mono_ns"))
                .containsExactly("SELECT users,SELECT users", "INSERT orders,INSERT orders", "GET,GET");
    }
}
