package dev.probestream.bench.truth;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tables with two served requests, /pg/1 from 1,000 to 2,000 ms and /pg/2 from 1,500 to 3,000 ms, and what they are compared with. */
final class ComparedOrderTest {
    private static final String LOG = """
            application,request,kind,name,at_ns
            pg,/pg/1,statement,n1_s1,
            pg,/pg/1,file,n1_f1,
            pg,/pg/2,statement,n2_s1,
            pg,/pg/2,file,n2_f1,
            pg,/pg/2,outgoing,n2_o1,
            """;

    private String requests = request(1, "'SERVER'", "NULL", "'/pg/1'", "NULL", 1_000, 1_000, "NULL")
            + " UNION ALL BY NAME " + request(2, "'SERVER'", "NULL", "'/pg/2'", "NULL", 1_500, 1_500, "NULL");
    private String owners = "SELECT 0::BIGINT AS capture_id, 0::BIGINT AS sequence, 0::BIGINT AS request_id";
    private String events = event(0, 0, 0, "none", "node-fs", "");
    private String spans = event(0, 0, 0, "none", "node-loop", "");

    @TempDir
    private Path folder;

    @Test
    void ownersThatTheApplicationNamesAreRight() throws Exception {
        statement("n1_s1", "1");
        file(11, "n1_f1");
        owned(11, "1");

        assertThat(verdicts())
                .containsEntry("n1_s1 statement", Verdict.RIGHT)
                .containsEntry("n1_f1 file", Verdict.RIGHT);
    }

    @Test
    void plantedWrongOwnersAreWrong() throws Exception {
        statement("n1_s1", "2");
        file(11, "n2_f1");
        owned(11, "1");
        outgoing("n2_o1", "1", "NULL");

        assertThat(verdicts())
                .containsEntry("n1_s1 statement", Verdict.WRONG)
                .containsEntry("n2_f1 file", Verdict.WRONG)
                .containsEntry("n2_o1 outgoing", Verdict.WRONG);
    }

    @Test
    void secondOwnerOfAnEventIsWrongToo() throws Exception {
        file(11, "n1_f1");
        owned(11, "1");
        owned(11, "2");

        assertThat(compared().stream()
                        .filter(each -> each.kind().equals("file"))
                        .map(ComparedOrder::verdict))
                .contains(Verdict.RIGHT, Verdict.WRONG);
    }

    @Test
    void nothingIsGuessedOfWhatHasNoOwnerOrIsNotThere() throws Exception {
        statement("n1_s1", "NULL");
        file(11, "n1_f1");

        assertThat(verdicts())
                .containsEntry("n1_s1 statement", Verdict.UNKNOWN)
                .containsEntry("n1_f1 file", Verdict.UNKNOWN)
                .containsEntry("n2_s1 statement", Verdict.MISSING);
    }

    @Test
    void whatNoHandlerOrderedIsLeftOut() throws Exception {
        statement("n7_s1", "1");

        assertThat(verdicts()).doesNotContainKey("n7_s1 statement");
    }

    /** Asked for at 1,600 ms in a callback that ends at 1,610, written at 1,700. */
    @Test
    void waitCountsFromTheEndOfTheCallbackThatAsks() throws Exception {
        String log = LOG.replace("n2_o1,", "n2_o1,1600000000");
        span(1_590, 20);

        assertThat(waited(log, "90000000")).isEqualTo(Verdict.RIGHT);
        assertThat(waited(log, "100000000")).isEqualTo(Verdict.RIGHT);
        assertThat(waited(log, "0")).isEqualTo(Verdict.WRONG);
        assertThat(waited(log, "120000000")).isEqualTo(Verdict.WRONG);
        assertThat(waited(log, "NULL")).isEqualTo(Verdict.UNKNOWN);
    }

    @Test
    void sourcesAreReadWhereTheTablesHaveThem() throws Exception {
        statement("n1_s1", "2");
        file(11, "n1_f1");
        owned(11, "1");
        assertThat(sources()).containsExactlyInAnyOrder("", "");

        requests = "SELECT *, 'promise' AS parent_source FROM (" + requests + ")";
        owners = "SELECT *, 'work' AS source FROM (" + owners + ")";
        assertThat(sources()).containsExactlyInAnyOrder("promise", "work");
    }

    private void statement(String name, String parent) {
        requests += " UNION ALL BY NAME "
                + request(10, "'CLIENT'", "'SELECT 1 AS " + name + "'", "NULL", parent, 1_600, 10, "NULL");
    }

    private void outgoing(String name, String parent, String waitedNs) {
        requests +=
                " UNION ALL BY NAME " + request(12, "'CLIENT'", "NULL", "'/" + name + "'", parent, 1_700, 10, waitedNs);
    }

    private void file(long sequence, String name) {
        events += " UNION ALL BY NAME " + event(sequence, 1_650, 0, "uv_fs_open", "node-fs", "/tmp/" + name);
    }

    private void owned(long sequence, String request) {
        owners += " UNION ALL BY NAME SELECT 0::BIGINT AS capture_id, " + sequence + "::BIGINT AS sequence, " + request
                + "::BIGINT AS request_id";
    }

    private void span(long beginMs, long ms) {
        spans += " UNION ALL BY NAME " + event(1, beginMs, ms, "stream I/O", "node-loop", "");
    }

    private Verdict waited(String log, String waitedNs) throws Exception {
        String before = requests;
        outgoing("n2_o1", "2", waitedNs);
        Verdict verdict = tables(log).stream()
                .filter(each -> each.kind().equals(ComparedOrder.WAITED))
                .findFirst()
                .orElseThrow()
                .verdict();
        requests = before;
        return verdict;
    }

    private Map<String, Verdict> verdicts() throws Exception {
        return compared().stream()
                .collect(Collectors.toMap(each -> each.ordered().name() + " " + each.kind(), ComparedOrder::verdict));
    }

    private List<String> sources() throws Exception {
        return compared().stream()
                .map(ComparedOrder::hit)
                .filter(Objects::nonNull)
                .map(OwnedHit::source)
                .toList();
    }

    private List<ComparedOrder> compared() throws Exception {
        return tables(LOG);
    }

    private List<ComparedOrder> tables(String log) throws Exception {
        Path tables = Files.createTempDirectory(folder, "tables");
        try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
                Statement statement = connection.createStatement()) {
            write(statement, tables, "requests", requests);
            write(statement, tables, "request_events", owners);
            write(statement, tables, "events", events);
            write(statement, tables, "spans", spans);
        }
        Path file = Files.writeString(tables.resolve("truth.csv"), log);
        RecordedHits recorded = RecordedHits.read(tables);
        return ComparedOrder.all(LoggedOrder.read("koa", file), recorded.hits(), recorded.callbacks());
    }

    private static void write(Statement statement, Path tables, String table, String rows) throws Exception {
        Path files = Files.createDirectories(tables.resolve(table));
        statement.execute("COPY (" + rows + ") TO '" + files.resolve("part-0.parquet") + "' (FORMAT parquet)");
    }

    private static String request(
            long id, String side, String statement, String url, String parent, long beginMs, long ms, String waitedNs) {
        return "SELECT 0::BIGINT AS capture_id, " + id + "::BIGINT AS request_id, " + parent
                + "::BIGINT AS parent_request_id, " + side + " AS side, " + statement + "::VARCHAR AS statement, " + url
                + "::VARCHAR AS url, " + beginMs + "000000::BIGINT AS mono_ns, " + ms
                + "000000::BIGINT AS duration_ns, " + waitedNs + "::BIGINT AS waited_ns";
    }

    private static String event(long sequence, long beginMs, long ms, String probe, String category, String text) {
        return "SELECT 0::BIGINT AS capture_id, " + sequence + "::BIGINT AS sequence, " + beginMs
                + "000000::BIGINT AS mono_ns, " + ms + "000000::BIGINT AS duration_ns, '" + probe + "' AS probe, '"
                + category + "' AS category, '" + text + "' AS s0";
    }
}
