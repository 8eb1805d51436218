package dev.probestream.query.report.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.query.report.Finding;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Hits on both sides of a time that was not watched are not joined. */
class CutByGapTest {
    @TempDir
    private Path folder = Path.of("");

    private Planted planted;

    @BeforeEach
    void begin() throws SQLException {
        planted = new Planted().sql("UPDATE captures SET end_mono_ns = 3000000000");
    }

    @AfterEach
    void close() throws SQLException {
        planted.close();
    }

    @Test
    void turnOfWhichAPartWasNotWatchedIsNone() throws Exception {
        planted.poll(0, 1).poll(6, 7).poll(1000, 1001).poll(1004, 1005).gap("node-loop", 8, 990);

        assertThat(planted.answer(folder, "SELECT busy_ns // 1000000 FROM loop_turns ORDER BY from_ns"))
                .containsExactly("5", "3");
        assertThat(planted.rules(folder.resolve("report"))).doesNotContain("loop-blocked");
    }

    @Test
    void openSpanEndsAtTheGap() throws Exception {
        planted.poll(0, 1).span(Planted.LOOP, "node-fs", "uv_fs_open", 10, 11, Map.of("path", "/x"));
        planted.sql(
                "UPDATE spans SET kind = 'OPEN_SPAN', duration_ns = NULL, end_ts = NULL WHERE probe = 'uv_fs_open'");
        planted.gap("node-fs", 40, 2000).poll(2500, 2501);

        assertThat(planted.answer(
                        folder, "SELECT (to_ns - from_ns) // 1000000 FROM span_extents ORDER BY 1 DESC LIMIT 1"))
                .containsExactly("30");
        assertThat(planted.rules(folder.resolve("report"))).doesNotContain("sync-fs");
    }

    @Test
    void workThatIsSeenAfterAGapIsNotThatOfBefore() throws Exception {
        planted.event(Planted.LOOP, "node-pool", "work queued", 10, Map.of("request", 7, "kind", "zlib"), 0);
        planted.event(Planted.LOOP, "node-pool", "work queued", 20, Map.of("request", 8, "kind", "zlib"), 0);
        planted.span(101, "node-pool", "work", 21, 30, Map.of("request", 8, "kind", "zlib"));
        planted.gap("node-pool", 40, 900);
        planted.span(101, "node-pool", "work", 950, 960, Map.of("request", 7, "kind", "zlib"));

        assertThat(planted.answer(
                        folder,
                        "SELECT coalesce((started_ns - queued_ns) // 1000000, -1) FROM pool_work ORDER BY queued_ns"))
                .containsExactly("-1", "1");
    }

    @Test
    void waitOfWhichAPartWasNotWatchedHasNoEnd() throws Exception {
        planted.offCpu(Planted.LOOP, 10, 15, false).gap("sched", 100, 900);
        planted.offCpu(Planted.LOOP, 20, 950, false);

        assertThat(planted.answer(
                        folder, "SELECT coalesce((to_ns - from_ns) // 1000000, -1) FROM cpu_waits ORDER BY from_ns"))
                .containsExactly("5", "-1");
    }

    @Test
    void connectionWhoseCloseAGapMayHideIsNoLeak() throws Exception {
        for (int i = 0; i < 60; i++) {
            planted.span(
                    Planted.LOOP,
                    "node-net",
                    "connect",
                    i * 10,
                    i * 10 + 1,
                    Map.of("stream", 1000 + i, "remote", "10.0.0.9:1"));
            planted.event(
                    Planted.LOOP, "node-net", "connected", i * 10 + 2, Map.of("stream", 1000 + i, "result", 0), 0);
        }
        planted.poll(2900, 2901);
        List<String> leaks = planted.findings(folder).stream()
                .map(Finding::rule)
                .filter("connections-leaked"::equals)
                .toList();
        planted.gap("node-net", 650, 2000);

        assertThat(leaks).hasSize(1);
        assertThat(planted.rules(folder.resolve("report"))).doesNotContain("connections-leaked");
    }
}
