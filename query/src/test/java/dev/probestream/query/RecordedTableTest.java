package dev.probestream.query;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Our idea of the tables is the converters'. */
class RecordedTableTest {
    private static final Path KEPT = Path.of("../converters/src/test/resources/goldens/tables");

    @ParameterizedTest
    @EnumSource
    void columnsAndTypesAreThoseThatTheConvertersWrite(RecordedTable table) throws Exception {
        List<String> ours = new ArrayList<>(List.of("column_name,column_type"));
        table.columns().forEach(column -> ours.add(column.name() + "," + column.type()));
        List<String> theirs = Files.readAllLines(KEPT.resolve(table.sqlName() + ".types.csv"));
        assertThat(ours.stream().map(RecordedTableTest::plain))
                .containsExactlyElementsOf(
                        theirs.stream().map(RecordedTableTest::plain).toList());
    }

    private static String plain(String line) {
        return line.replace("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ").replaceAll("[\\s\"]", "");
    }
}
