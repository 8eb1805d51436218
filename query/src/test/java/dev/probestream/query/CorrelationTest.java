package dev.probestream.query;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.query.RandomSpans.Hit;
import dev.probestream.query.RandomSpans.Life;
import dev.probestream.query.RandomSpans.Span;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CorrelationTest {
    private static final long NONE = -1;
    private RecordingFolder recording;

    @BeforeEach
    void create() throws SQLException {
        recording = RecordingFolder.create();
        Correlation.install(recording.connection());
    }

    @AfterEach
    void close() throws SQLException {
        recording.close();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void everyEventFindsTheInnermostSpanThatTryingAllOfThemFinds(long seed) throws SQLException {
        RandomSpans random = new RandomSpans(seed);
        insert(random);
        Map<Long, Long> tried = new TreeMap<>();
        for (Hit hit : random.hits) {
            tried.put(hit.sequence(), sequence(random.innermostAt(hit.capture(), hit.tid(), hit.ns())));
        }
        assertThat(map("SELECT sequence, coalesce(span_sequence, -1) FROM event_span"))
                .isEqualTo(tried);
        assertThat(map("SELECT sequence, coalesce(span_sequence, -1) FROM event_context"))
                .isEqualTo(tried);
    }

    @ParameterizedTest
    @ValueSource(longs = {5, 6})
    void everySpanFindsTheSpanThatContainsIt(long seed) throws SQLException {
        RandomSpans random = new RandomSpans(seed);
        insert(random);
        Map<Long, Long> parents = new TreeMap<>();
        for (Span span : random.spans) {
            boolean isThere = span.tid() != 0 && (span.durationNs() != null || span.toNs() > span.fromNs());
            if (isThere) {
                parents.put(span.sequence(), sequence(random.parentOf(span)));
            }
        }
        assertThat(map("SELECT sequence, coalesce(parent_sequence, -1) FROM span_tree WHERE tid <> 0"))
                .isEqualTo(parents);
        Map<Long, Long> depths = new TreeMap<>();
        parents.keySet().forEach(child -> depths.put(child, depth(parents, child)));
        assertThat(map("SELECT sequence, depth FROM span_tree WHERE tid <> 0")).isEqualTo(depths);
        assertThat(map("SELECT t.sequence, count(a.ancestor_sequence) FROM span_tree t"
                        + " LEFT JOIN span_ancestors a USING (capture_id, sequence) WHERE tid <> 0 GROUP BY ALL"))
                .isEqualTo(depths);
    }

    @Test
    void aSpanHoldsItsBeginningButNotItsEnd() throws SQLException {
        recording.execute("INSERT INTO captures BY NAME SELECT 1 AS capture_id, 100 AS end_mono_ns");
        recording.execute("INSERT INTO spans BY NAME SELECT 1 AS capture_id, 7 AS tid, 50 AS sequence, 10 AS mono_ns,"
                + " 5 AS duration_ns");
        recording.execute("INSERT INTO events BY NAME SELECT 1 AS capture_id, 7 AS tid, n AS sequence, n AS mono_ns"
                + " FROM range(8, 17) t(n)");
        assertThat(map("SELECT sequence, coalesce(span_sequence, -1) FROM event_span"))
                .isEqualTo(new TreeMap<>(LongStream.range(8, 17)
                        .boxed()
                        .collect(Collectors.toMap(n -> n, n -> n >= 10 && n < 15 ? 50 : NONE))));
    }

    @Test
    void anEventKnowsItsSpanItsPhaseItsRequestAndSinceWhenItsThreadRan() throws SQLException {
        recording.execute("INSERT INTO captures BY NAME SELECT 1 AS capture_id, 100 AS end_mono_ns");
        recording.execute("INSERT INTO processes BY NAME SELECT 1 AS capture_id, 5 AS pid");
        recording.execute("INSERT INTO spans BY NAME SELECT 1 AS capture_id, 5 AS pid, 7 AS tid, * FROM (VALUES"
                + " (1, 'poll', 'node-loop', 10, 40), (2, 'stream I/O', 'node-loop', 20, 10))"
                + " v(sequence, probe, category, mono_ns, duration_ns)");
        recording.execute("INSERT INTO events BY NAME SELECT 1 AS capture_id, * FROM (VALUES"
                + " (3, 99, 'switch', 'SWITCH', 5, 88, 88, 7, 5), (4, 7, 'hit', 'INSTANT', 25, NULL, NULL, NULL, NULL),"
                + " (5, 7, 'hit', 'INSTANT', 60, NULL, NULL, NULL, NULL))"
                + " v(sequence, tid, probe, kind, mono_ns, a0, a1, a4, a5)");
        recording.execute("INSERT INTO request_events VALUES (1, 17, 4, 'handler')");
        assertThat(DuckDbDatabase.column(
                        recording.connection(),
                        "SELECT concat_ws(' ', sequence, coalesce(span, '-'), coalesce(phase, '-'),"
                                + " coalesce(request_id::VARCHAR, '-'), on_cpu_from_ns)"
                                + " FROM event_context WHERE probe = 'hit' ORDER BY sequence"))
                .containsExactly("4 stream I/O poll 17 5", "5 - - - 5");
    }

    @Test
    void selfTimesAddUpToWhatIsCovered() throws SQLException {
        insert(new RandomSpans(9));
        assertThat(map("SELECT 0, count(*) FROM ("
                        + "SELECT capture_id, tid, sum(self_ns) AS self_ns FROM span_tree GROUP BY ALL) s JOIN ("
                        + "SELECT capture_id, tid, sum(next_ns - at_ns) AS covered_ns FROM span_segments"
                        + " WHERE span_sequence IS NOT NULL AND next_ns < 9223372036854775807 GROUP BY ALL) c"
                        + " USING (capture_id, tid) WHERE s.self_ns > c.covered_ns"))
                .isEqualTo(Map.of(0L, 0L));
    }

    private static long depth(Map<Long, Long> parents, Long child) {
        long depth = 0;
        for (Long parent = parents.get(child); parent != null && parent != NONE; parent = parents.get(parent)) {
            depth++;
        }
        return depth;
    }

    private static long sequence(@Nullable Span span) {
        return span == null ? NONE : span.sequence();
    }

    private void insert(RandomSpans random) throws SQLException {
        insert(
                "captures (capture_id, end_mono_ns)",
                IntStream.range(0, RandomSpans.CAPTURES)
                        .mapToObj(capture -> row(capture, random.captureEndsNs.get(capture))));
        insert(
                "threads (capture_id, tid, start_mono_ns, end_mono_ns)",
                random.lives.stream().map((Life life) -> row(life.capture(), life.tid(), life.fromNs(), life.toNs())));
        insert(
                "spans (capture_id, tid, sequence, mono_ns, duration_ns)",
                random.spans.stream()
                        .map(span ->
                                row(span.capture(), span.tid(), span.sequence(), span.fromNs(), span.durationNs())));
        insert(
                "events (capture_id, tid, sequence, mono_ns)",
                random.hits.stream().map(hit -> row(hit.capture(), hit.tid(), hit.sequence(), hit.ns())));
    }

    private static String row(@Nullable Object... values) {
        return Stream.of(values).map(String::valueOf).collect(Collectors.joining(",", "(", ")"));
    }

    private void insert(String table, Stream<String> rows) throws SQLException {
        recording.execute("INSERT INTO " + table + " VALUES " + rows.collect(Collectors.joining(",")));
    }

    private Map<Long, Long> map(String sql) throws SQLException {
        Connection connection = recording.connection();
        List<String> pairs =
                DuckDbDatabase.column(connection, "SELECT concat_ws(' ', x, y) FROM (" + sql + ") t(x, y)");
        Map<Long, Long> map = new TreeMap<>();
        for (String pair : pairs) {
            String[] numbers = pair.split(" ", -1);
            assertThat(map.put(Long.valueOf(numbers[0]), Long.valueOf(numbers[1])))
                    .isNull();
        }
        return map;
    }
}
