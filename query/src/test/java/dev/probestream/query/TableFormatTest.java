package dev.probestream.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.convert.ConversionProgress;
import dev.probestream.schema.format.FormatStamp;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tables of versions to come. */
class TableFormatTest {
    @TempDir
    private Path folder;

    @Test
    void tablesOfANewerFormatAreRefusedInOneSentence() throws Exception {
        Path file = write("4.0");
        // The other files are found whether or not one of them is damaged.
        for (byte[] content : List.of(new byte[0], new byte[100])) {
            assertThatThrownBy(this::open)
                    .isInstanceOf(QueryException.class)
                    .hasMessage("cannot read " + file + ": it has format 4.0, written by Probestream 3.1.0, and this is"
                            + " Probestream " + FormatStamp.OWN.program()
                            + ", which reads format 3.x; update Probestream to 3.1.0 or"
                            + " newer");
            Files.write(file.resolveSibling("a-damaged.parquet"), content);
        }
    }

    @Test
    void aNewerMinorVersionIsReadWithoutItsNewColumns() throws Exception {
        write("3.9");
        try (Recordings recordings = open()) {
            assertThat(DuckDbDatabase.column(recordings.connection(), "SELECT host FROM captures"))
                    .containsExactly("web-1");
        }
    }

    @Test
    void tablesWithoutAVersionAreRead() throws Exception {
        try (RecordingFolder written = captures()) {
            written.write(folder);
        }
        open().close();
    }

    private Path write(String format) throws SQLException, IOException {
        Path file = Files.createDirectories(folder.resolve("captures")).resolve("rows.parquet");
        try (RecordingFolder written = captures()) {
            written.execute("COPY (SELECT *, 1 AS of_tomorrow FROM captures) TO " + Sql.text(file.toString())
                    + " (FORMAT parquet, KV_METADATA {\"probestream.format\": '" + format
                    + "', \"probestream.program\": '3.1.0'})");
        }
        return file;
    }

    private static RecordingFolder captures() throws SQLException {
        RecordingFolder written = RecordingFolder.create();
        written.execute("INSERT INTO captures BY NAME SELECT 7 AS capture_id, 'web-1' AS host, 0 AS mono_ns");
        return written;
    }

    private Recordings open() throws QueryException {
        return Recordings.open(List.of(folder), Limits.standard(), ConversionProgress.NONE);
    }
}
