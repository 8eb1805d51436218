package dev.probestream.query.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.convert.ConversionProgress;
import dev.probestream.query.Limits;
import dev.probestream.query.QueryException;
import dev.probestream.query.RecordingFolder;
import dev.probestream.query.TimeRange;
import dev.probestream.query.builtin.BuiltInQueries;
import dev.probestream.query.result.CsvWriter;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What statements of others can do: read the recordings, and nothing else. */
class ConfinedSessionTest {
    @TempDir
    private Path folder;

    private Path tables;
    private QuerySession session;

    @BeforeEach
    void open() throws Exception {
        Files.writeString(folder.resolve("secret.txt"), "secret");
        try (RecordingFolder written = RecordingFolder.create()) {
            written.execute("INSERT INTO captures BY NAME SELECT 7 AS capture_id, 'web-1' AS host");
            written.execute(
                    "INSERT INTO events BY NAME SELECT 7 AS capture_id, range AS sequence, 'e' AS probe FROM range(9)");
            tables = written.write(
                    Files.createDirectories(folder.resolve("a [b]*")).resolve("tables"));
        }
        // A relative path, as a user types it.
        Path relative = Path.of("").toAbsolutePath().relativize(tables);
        session =
                QuerySession.open(List.of(relative), TimeRange.ALL, new Limits(64L << 20, 1), ConversionProgress.NONE);
        session.confine(Optional.of(folder.resolve("out.parquet")));
    }

    @AfterEach
    void close() throws QueryException {
        session.close();
    }

    @Test
    void recordingsCanBeReadAndThingsCreatedInMemory() throws Exception {
        assertThat(ask("SELECT count(*) AS n FROM events")).isEqualTo("n\n9\n");
        assertThat(ask("-- why\n/* so */ (SELECT host FROM captures)")).isEqualTo("host\nweb-1\n");
        ask("CREATE TEMP TABLE t AS SELECT range AS x, md5(range::VARCHAR) AS y FROM range(2000000)");
        // More than the memory limit: DuckDB's own temporary folder is still allowed.
        assertThat(ask("SELECT count(*) AS n FROM (SELECT * FROM t ORDER BY y)"))
                .isEqualTo("n\n2000000\n");
        ask("SET VARIABLE x = 5");
        assertThat(ask("WITH a AS (SELECT getvariable('x') AS x) FROM a")).isEqualTo("x\n5\n");
        session.prepare(BuiltInQueries.load().named("losses"), Map.of());
        assertThat(ask(BuiltInQueries.load().named("losses").sql())).startsWith("input,");
        assertThat(session.writeParquet("SELECT sequence FROM events", folder.resolve("out.parquet")))
                .isEqualTo(9);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "FROM read_text('%s/secret.txt')",
                "FROM read_text('%t/../../secret.txt')",
                "FROM read_csv('%s/secret.txt')",
                "FROM '%s/secret.txt'",
                "FROM glob('%s/*')",
                "FROM read_text('/proc/self/environ')",
                "FROM read_csv('http://127.0.0.1:1/x')",
                "COPY (SELECT 1) TO '%s/new.csv'",
                "COPY (SELECT 1) TO '%t/events/events.parquet' (FORMAT parquet)",
                "COPY events TO '%t/new.csv'",
                "EXPLAIN ANALYZE COPY (SELECT 1) TO '%t/events/new.csv'",
                "EXPLAIN (ANALYZE) COPY (SELECT 1) TO '%t/events/new.csv'",
                "/* /* */ COPY (SELECT 1) TO '%t/events/new.csv' -- */ SELECT 1",
                "-- x\rCOPY (SELECT 1) TO '%t/events/new.csv'",
                "SELECT 1; COPY (SELECT 1) TO '%t/events/new.csv'",
                "SELECT e'\\'; COPY (SELECT 1) TO ''%t/events/new.csv'' --'",
                "EXPORT DATABASE '%t'",
                "ATTACH '%s/new.db'",
                "INSTALL httpfs",
                "LOAD httpfs",
                "PRAGMA database_list",
                "SET enable_external_access = true",
                "SET memory_limit = '9GB'",
                "SET lock_configuration = false",
                "RESET lock_configuration",
                "SET allowed_directories = ['/']",
                "CALL pragma_version()",
                "",
            })
    void anythingElseIsRefused(String sql) throws Exception {
        List<Path> before = files();
        assertThatThrownBy(() -> ask(sql.replace("%s", folder.toString()).replace("%t", tables.toString())))
                .isInstanceOf(QueryException.class)
                .hasMessageNotContaining("secret\n");
        assertThat(files()).isEqualTo(before);
        assertThat(ask("SELECT count(*) AS n FROM events")).isEqualTo("n\n9\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT 1) TO '%t/events/events.parquet' (FORMAT parquet) --",
                "SELECT 1) TO '%t/events/events.parquet' /*",
                "SELECT 1) TO '%t/events/events.parquet' (FORMAT parquet, x (",
            })
    void resultIsWrittenToItsOwnFileOnly(String sql) throws Exception {
        assertThatThrownBy(
                        () -> session.writeParquet(sql.replace("%t", tables.toString()), folder.resolve("out.parquet")))
                .isInstanceOf(QueryException.class);
        assertThat(ask("SELECT count(*) AS n FROM events")).isEqualTo("n\n9\n");
    }

    @Test
    void whatIsRefusedIsSaid() {
        assertThatThrownBy(() -> ask("COPY events TO 'x.csv'"))
                .hasMessage(
                        "cannot run COPY with --confined: statements can only read the recordings, and create views, macros and"
                                + " tables in memory");
    }

    private String ask(String sql) throws QueryException, IOException {
        StringWriter out = new StringWriter();
        session.execute(sql, new CsvWriter(out));
        return out.toString();
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.sorted().toList();
        }
    }
}
