package dev.probestream.query.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.convert.ConversionProgress;
import dev.probestream.query.Limits;
import dev.probestream.query.QueryException;
import dev.probestream.query.RecordingFolder;
import dev.probestream.query.TimeRange;
import dev.probestream.query.result.CsvWriter;
import dev.probestream.query.result.JsonLinesWriter;
import dev.probestream.query.result.ResultWriter;
import dev.probestream.query.result.ResultWriter.ResultColumn;
import dev.probestream.query.result.TableWriter;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Statements and their answers. */
class QuerySessionTest {
    private static final String ALL_TYPES = "SELECT 1 AS i, 9007199254740993::BIGINT AS b, 2::HUGEINT AS h, 0.5 AS d,"
            + " 'nan'::DOUBLE AS nan, true AS t, NULL AS n, '' AS e, 'a,\"b\"' AS s,"
            + " TIMESTAMPTZ '2026-11-21 10:00:00.000001+02' AS ts, [1, NULL] AS l, {'x': 'y', 'z': [true]} AS st,"
            + " MAP {'k': 1} AS m, DATE '2026-11-21' AS day";

    @TempDir
    private static Path folder;

    private static QuerySession session;

    @BeforeAll
    static void open() throws Exception {
        try (RecordingFolder tables = RecordingFolder.create()) {
            tables.execute("INSERT INTO captures BY NAME SELECT 7 AS capture_id");
            session = QuerySession.open(
                    List.of(tables.write(folder.resolve("tables"))),
                    TimeRange.ALL,
                    new Limits(128L << 20, 1),
                    ConversionProgress.NONE);
        }
    }

    @AfterAll
    static void close() throws QueryException {
        session.close();
    }

    @Test
    void csvHasAllTypes() throws Exception {
        StringWriter out = new StringWriter();
        assertThat(session.execute(ALL_TYPES, new CsvWriter(out))).isEqualTo(1);
        assertThat(out).hasToString("""
                        i,b,h,d,nan,t,n,e,s,ts,l,st,m,day
                        1,9007199254740993,2,0.5,NaN,true,,"","a,""b""\",2026-11-21T08:00:00.000001Z,"[1, NULL]","{x: y, z: [true]}",{k: 1},2026-11-21
                        """);
    }

    @Test
    void jsonHasAllTypes() throws Exception {
        StringWriter out = new StringWriter();
        session.execute(ALL_TYPES, new JsonLinesWriter(out));
        session.execute("SELECT 1 AS a, 2 AS a", new JsonLinesWriter(out));
        assertThat(out).hasToString("""
                        {"i":1,"b":9007199254740993,"h":2,"d":0.5,"nan":"NaN","t":true,"n":null,"e":"","s":"a,\\"b\\"",\
                        "ts":"2026-11-21T08:00:00.000001Z","l":[1,null],"st":{"x":"y","z":[true]},"m":{"k":1},"day":"2026-11-21"}
                        {"a":1,"a_2":2}
                        """);
    }

    @Test
    void statementsWithoutAResultWriteNothing() throws Exception {
        StringWriter out = new StringWriter();
        assertThat(session.execute("SET VARIABLE x = 5", new CsvWriter(out))).isEqualTo(-1);
        assertThat(session.execute("SELECT getvariable('x') AS x", new CsvWriter(out)))
                .isEqualTo(1);
        assertThat(out).hasToString("x\n5\n");
    }

    @Test
    void explainIsShownAsItIsDrawn() throws Exception {
        StringWriter out = new StringWriter();
        session.execute("EXPLAIN SELECT 42", new TableWriter(out, 80));
        assertThat(out.toString()).contains("┌───").doesNotContain("explain_key", "\\n");
    }

    @Test
    void anErrorSaysWhatDuckDbSaysAndWhere() {
        assertThatThrownBy(() -> session.execute("SELECT durations FROM spans", new CsvWriter(new StringWriter())))
                .hasMessageStartingWith("Binder Error: Referenced column \"durations\" not found in FROM clause!")
                .hasMessageContaining("\"duration_ns\"")
                .hasMessageEndingWith("LINE 1: SELECT durations FROM spans\n               ^");
        assertRefused("SELECT * FROM event", """
                Catalog Error: Table with name event does not exist!
                Did you mean "events"?

                LINE 1: SELECT * FROM event
                                      ^""");
    }

    @Test
    void nothingIsFetchedFromTheNetwork() {
        assertRefused(
                "SELECT * FROM 'https://example.com/x.parquet'",
                "Missing Extension Error: File https://example.com/x.parquet requires the extension httpfs to be loaded\n"
                        + "Probestream does not download extensions of DuckDB.");
    }

    @ParameterizedTest
    @CsvSource({
        "INSTALL httpfs, INSTALL",
        "FORCE INSTALL httpfs, INSTALL",
        "install httpfs FROM 'http://127.0.0.1:1', INSTALL",
        "UPDATE EXTENSIONS, INSTALL",
        "SET autoinstall_known_extensions = true, SET",
        "PRAGMA autoload_known_extensions = true, PRAGMA",
    })
    void extensionsAreNotInstalled(String sql, String what) {
        assertRefused(sql, "cannot run " + what + ": Probestream does not download or install extensions of DuckDB");
    }

    @Test
    void csvIsOneLineForEachRowWithoutControlCharacters() throws Exception {
        StringWriter out = new StringWriter();
        session.execute("SELECT e'a\\n\\r\\t\\x1b[2J\u009b\u202e\\\\n' AS \"x\u001by\"", new CsvWriter(out));
        assertThat(out).hasToString("x\\x1by\na\\n\\x0d\\t\\x1b[2J\\x9b\\u202e\\n\n");
    }

    @Test
    void csvForSpreadsheetsHasNoFormulas() throws Exception {
        String sql =
                "SELECT '=1+1' AS a, '+1' AS b, '-1' AS c, '@x' AS d, e'\\t=1' AS e, e'\\r=1' AS f, -1 AS g, 'x=1' AS h, '' AS i";
        StringWriter safe = new StringWriter();
        session.execute(sql, new CsvWriter(safe, true));
        assertThat(safe.toString().lines().skip(1)).containsExactly("'=1+1,'+1,'-1,'@x,'\\t=1,'\\x0d=1,-1,x=1,\"\"");
        StringWriter plain = new StringWriter();
        session.execute(sql, new CsvWriter(plain));
        assertThat(plain.toString().lines().skip(1)).containsExactly("=1+1,+1,-1,@x,\\t=1,\\x0d=1,-1,x=1,\"\"");
    }

    @Test
    void controlCharactersOfPlansAndErrorsAreSpelled() throws Exception {
        StringWriter out = new StringWriter();
        session.execute("EXPLAIN SELECT * FROM events WHERE probe = e'\\x1b[31m'", new TableWriter(out, 80));
        assertThat(out.toString()).doesNotContain("\u001b").contains("┌───");
        assertThatThrownBy(() -> session.execute(
                        "SELECT (e'\\x1b[31m' || range)::INTEGER FROM range(1)", new CsvWriter(new StringWriter())))
                .hasMessageContaining("\\x1b[31m0")
                .hasMessageNotContaining("\u001b");
    }

    @Test
    void tooLittleMemoryIsSaidWithWhatToDo() {
        // An aggregate that DuckDB cannot put to the disk.
        assertThatThrownBy(() -> session.execute(
                        "SELECT len(list(range::VARCHAR || repeat('x', 1000))) FROM range(1000000)",
                        new CsvWriter(new StringWriter())))
                .isInstanceOf(QueryException.class)
                .hasMessageStartingWith("Out of Memory Error")
                .hasMessageEndingWith(
                        "\nRaise the limit with --memory, or query less: fewer columns, a shorter time range"
                                + " (--from, --to).");
    }

    @Test
    void aParquetFileAppearsWhole() throws Exception {
        Path file = folder.resolve("it's.parquet");
        assertThat(session.writeParquet("SELECT range AS a FROM range(1000) -- all", file))
                .isEqualTo(1_000);
        StringWriter out = new StringWriter();
        session.execute("SELECT sum(a) AS s FROM '" + folder + "/it''s.parquet'", new CsvWriter(out));
        assertThat(out).hasToString("s\n499500\n");
        assertThatThrownBy(() -> session.writeParquet("SELECT error('no') FROM range(9)", file))
                .isInstanceOf(QueryException.class);
        try (var files = Files.list(folder)) {
            assertThat(files.map(Path::getFileName).map(Path::toString))
                    .containsExactlyInAnyOrder("tables", "it's.parquet");
        }
    }

    @Test
    void aResultWithoutEndCanBeCancelledWhileItIsWritten() throws Exception {
        AtomicLong rows = new AtomicLong();
        assertThatThrownBy(() -> session.execute("SELECT range FROM range(1000000000000)", new ResultWriter() {
                    @Override
                    public void begin(List<ResultColumn> columns) {}

                    @Override
                    public void row(@Nullable Object[] values) {
                        if (rows.incrementAndGet() == 10_000) {
                            session.cancel();
                        }
                    }

                    @Override
                    public void end() throws IOException {
                        throw new IOException("it has no end");
                    }
                }))
                .hasMessage("cancelled");
        assertThat(rows).hasValue(10_000);
        assertThat(session.execute("SELECT 1", new CsvWriter(new StringWriter())))
                .isEqualTo(1);
    }

    @Test
    void relationsAreListedWithTheirColumns() throws Exception {
        assertThat(session.relations())
                .contains(new Relation("request_events", List.of("capture_id", "request_id", "sequence", "source")))
                .extracting(Relation::name)
                .contains("events", "spans", "inputs", "probe_views");
    }

    private static void assertRefused(String sql, String message) {
        assertThatThrownBy(() -> session.execute(sql, new CsvWriter(new StringWriter())))
                .isInstanceOf(QueryException.class)
                .hasMessage(message);
    }
}
