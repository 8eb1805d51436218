package dev.probestream.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.convert.ConversionProgress;
import dev.probestream.query.result.CsvWriter;
import dev.probestream.query.session.QuerySession;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Folders with a damaged file: it is named, its table fails, and the other tables can be read. */
class DamagedFileTest {
    @TempDir
    private Path folder;

    private Path tables;

    @BeforeEach
    void write() throws Exception {
        try (RecordingFolder written = RecordingFolder.create()) {
            written.execute("INSERT INTO captures BY NAME SELECT 7 AS capture_id, 'web-1' AS host, 0 AS mono_ns");
            written.execute(
                    "INSERT INTO probes BY NAME SELECT 7 AS capture_id, 1 AS probe_id, 'e' AS probe, 'INSTANT' AS kind");
            written.execute(
                    "INSERT INTO events BY NAME SELECT 7 AS capture_id, range AS sequence, 'e' AS probe, md5(range::VARCHAR) AS"
                            + " s0, 1 AS probe_id FROM range(3000)");
            written.execute("INSERT INTO spans BY NAME SELECT 7 AS capture_id, 5 AS sequence, 's' AS probe");
            written.execute("INSERT INTO threads BY NAME SELECT 7 AS capture_id, 9 AS tid");
            written.execute("INSERT INTO processes BY NAME SELECT 7 AS capture_id, 9 AS pid");
            tables = written.write(folder.resolve("tables"));
        }
    }

    @Test
    void fileThatIsTruncatedAnywhereIsNamed() throws Exception {
        Path file = file(RecordedTable.EVENTS);
        byte[] whole = Files.readAllBytes(file);
        int[] some = {0, 1, 4, 7, 8, 11, 12, 100, whole.length / 2, whole.length - 9, whole.length - 8, whole.length - 1
        };
        for (int length : some) {
            Files.write(file, Arrays.copyOf(whole, length));
            try (QuerySession session = open()) {
                assertThat(session.warnings())
                        .as("%d", length)
                        .singleElement()
                        .satisfies(warning -> assertThat(warning)
                                .startsWith("warning: cannot read the table events: " + file + " is damaged (")
                                .endsWith("); the other tables can be read"));
                assertThatThrownBy(() -> ask(session, "SELECT count(*) FROM events"))
                        .isInstanceOf(QueryException.class)
                        .hasMessageContaining(file.toString());
                assertThat(ask(session, "SELECT probe FROM spans")).isEqualTo("probe\ns\n");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = RecordedTable.class,
            names = {"CAPTURES", "PROBES", "EVENTS", "SPANS", "THREADS", "PROCESSES"})
    void anyTableMayBeDamaged(RecordedTable table) throws Exception {
        Files.write(file(table), new byte[100]);
        try (QuerySession session = open()) {
            for (RecordedTable other : RecordedTable.values()) {
                if (other == table) {
                    assertThatThrownBy(() -> ask(session, "SELECT * FROM " + other.sqlName()))
                            .hasMessageContaining(file(table).toString());
                } else {
                    ask(session, "SELECT * FROM " + other.sqlName());
                }
            }
            assertThat(ask(session, "SELECT capture_id FROM inputs")).isEqualTo("capture_id\n7\n");
        }
    }

    @Test
    void otherFilesOfTheTableAreCounted() throws Exception {
        Path damaged = file(RecordedTable.EVENTS).resolveSibling("more.parquet");
        Files.writeString(damaged, "PAR1 no PAR1");
        try (QuerySession session = open()) {
            assertThat(session.warnings().get(0))
                    .contains(
                            damaged.toString(),
                            "and so can 1 of the 2 files of this one if the damaged are moved out of the folder");
        }
        Files.delete(damaged);
        try (QuerySession session = open()) {
            assertThat(session.warnings()).isEmpty();
        }
    }

    @Test
    void timesSinceTheStartNeedTheCaptures() throws Exception {
        Files.write(file(RecordedTable.CAPTURES), new byte[100]);
        TimeRange range =
                new TimeRange(Optional.of(TimeRange.Bound.sinceStart(Duration.ofSeconds(1))), Optional.empty());
        assertThatThrownBy(() -> QuerySession.open(List.of(tables), range, Limits.standard(), ConversionProgress.NONE))
                .hasMessageContainingAll(
                        file(RecordedTable.CAPTURES).toString(), "--from and --to can be timestamps only");
    }

    @Test
    void fileThatIsRemovedLaterIsNamed() throws Exception {
        try (QuerySession session = open()) {
            Files.delete(file(RecordedTable.EVENTS));
            assertThatThrownBy(() -> ask(session, "SELECT max(s0) FROM events"))
                    .hasMessageContainingAll(
                            file(RecordedTable.EVENTS).toString(), "the file was removed", "other tables can be read");
            assertThat(ask(session, "SELECT probe FROM spans")).isEqualTo("probe\ns\n");
        }
    }

    /** What is wrong of a mutation may not show; what shows names the file, and never hides the other tables. */
    @Tag("deep")
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void mutationsOfTheFooterAndOfPagesNameTheFile(boolean isFooter) throws Exception {
        Path file = file(RecordedTable.EVENTS);
        byte[] whole = Files.readAllBytes(file);
        int footer = ByteBuffer.wrap(whole).order(ByteOrder.LITTLE_ENDIAN).getInt(whole.length - 8) + 8;
        Random random = new Random(18);
        long failed = IntStream.range(0, 60)
                .filter(round -> {
                    byte[] mutated = whole.clone();
                    for (int i = random.nextInt(3); i >= 0; i--) {
                        int at = isFooter
                                ? whole.length - footer + random.nextInt(footer)
                                : 4 + random.nextInt(whole.length - footer - 4);
                        mutated[at] = (byte) random.nextInt(256);
                    }
                    return isFailing(file, mutated, round);
                })
                .count();
        assertThat(failed).isGreaterThan(10);
    }

    private boolean isFailing(Path file, byte[] content, int round) {
        try {
            Files.write(file, content);
            try (QuerySession session = open()) {
                assertThat(ask(session, "SELECT probe FROM spans")).isEqualTo("probe\ns\n");
                ask(session, "SELECT * FROM events");
                return false;
            }
        } catch (QueryException e) {
            assertThat(e).as("%d", round).hasMessageContaining(file.toString());
            return true;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private Path file(RecordedTable table) {
        return tables.resolve(table.sqlName()).resolve("rows.parquet");
    }

    private QuerySession open() throws QueryException {
        return QuerySession.open(List.of(tables), TimeRange.ALL, new Limits(128L << 20, 1), ConversionProgress.NONE);
    }

    private static String ask(QuerySession session, String sql) throws QueryException, IOException {
        StringWriter out = new StringWriter();
        session.execute(sql, new CsvWriter(out));
        return out.toString();
    }
}
