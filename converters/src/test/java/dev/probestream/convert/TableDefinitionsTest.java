package dev.probestream.convert;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the definitions for Spark and Trino say is what the files hold. */
class TableDefinitionsTest {
    private static final Pattern TABLE = Pattern.compile("CREATE TABLE (\\w+) \\(\n(.*?)\n\\)", Pattern.DOTALL);
    private static final Pattern COLUMN = Pattern.compile(" +[\"`]?(\\w+)[\"`]? (.+?),?");

    /** How DuckDB calls a type, and how the others do; structures are compared by name only. */
    private static final Map<String, List<String>> TYPES = Map.of(
            "TIMESTAMP WITH TIME ZONE", List.of("timestamp(9)", "BIGINT"),
            "BIGINT", List.of("bigint", "BIGINT"),
            "INTEGER", List.of("integer", "INT"),
            "BOOLEAN", List.of("boolean", "BOOLEAN"),
            "VARCHAR", List.of("varchar", "STRING"),
            "BIGINT[]", List.of("array(bigint)", "ARRAY<BIGINT>"),
            "VARCHAR[]", List.of("array(varchar)", "ARRAY<STRING>"));

    @TempDir
    private Path folder = Path.of("");

    @ParameterizedTest
    @ValueSource(strings = {"trino", "spark"})
    void eachTableIsDefinedAsItIsWritten(String engine) throws Exception {
        Path tables = Files.createDirectory(folder.resolve("tables"));
        Conversion.run(List.of(SampleRecording.write(folder.resolve("a.avro"))), tables, RecordingRange.ALL);
        Map<String, List<String>> defined = definitions(engine);
        List<String> written = new ArrayList<>();
        try (var folders = Files.list(tables)) {
            folders.forEach(table -> written.add(Objects.toString(table.getFileName())));
        }
        // A sample without requests has no files of them; RequestTablesTest's columns are compared below.
        assertThat(defined.keySet()).containsAll(written);
        for (String table : written) {
            assertThat(defined.get(table)).as(table).isEqualTo(columns(tables, table, engine));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"trino", "spark"})
    void requestsAreDefinedAsTheyAreWritten(String engine) throws Exception {
        Path tables = Files.createDirectory(folder.resolve("tables"));
        Conversion.run(List.of(RequestRecording.write(folder.resolve("r.avro"))), tables, RecordingRange.ALL);
        for (String table : List.of("requests", "request_events")) {
            assertThat(definitions(engine).get(table)).as(table).isEqualTo(columns(tables, table, engine));
        }
    }

    @Test
    void bothDefineTheSameTables() throws IOException {
        assertThat(definitions("trino").keySet())
                .containsExactlyElementsOf(definitions("spark").keySet())
                .hasSize(13);
    }

    private static List<String> columns(Path folder, String table, String engine) throws Exception {
        List<String> columns = new ArrayList<>();
        for (String line : DuckDb.rows(
                "SELECT column_name || ' ' || column_type FROM (DESCRIBE FROM " + DuckDb.table(folder, table) + ")")) {
            String column = line.replace("\"", "");
            String name = column.substring(0, column.indexOf(' '));
            columns.add(name + " " + type(column.substring(name.length() + 1), engine));
        }
        return columns;
    }

    private static String type(String duckDb, String engine) {
        List<String> names = TYPES.get(duckDb);
        return names == null ? "structure" : names.get("trino".equals(engine) ? 0 : 1);
    }

    /** The columns of each table, without those that name folders. */
    private static Map<String, List<String>> definitions(String engine) throws IOException {
        Map<String, List<String>> definitions = new LinkedHashMap<>();
        Matcher table = TABLE.matcher(resource(engine));
        while (table.find()) {
            List<String> columns = new ArrayList<>();
            for (String line : table.group(2).split("\n", -1)) {
                Matcher column = COLUMN.matcher(line);
                assertThat(column.matches()).as(line).isTrue();
                String name = column.group(1);
                if (!name.equals("day") && !name.equals("hour")) {
                    columns.add(name + " " + plain(column.group(2)));
                }
            }
            definitions.put(table.group(1), columns);
        }
        return definitions;
    }

    private static String plain(String type) {
        return type.contains("row(") || type.contains("STRUCT<") ? "structure" : type;
    }

    private static String resource(String engine) throws IOException {
        try (InputStream in =
                Objects.requireNonNull(Conversion.class.getResourceAsStream("parquet/" + engine + ".sql"), engine)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
