package dev.probestream.query.report.analysis.rule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.query.report.Finding;
import dev.probestream.query.report.analysis.Planted;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PoolStuckRuleTest {
    @TempDir
    private Path folder;

    private Planted planted;

    @BeforeEach
    void begin() throws SQLException {
        planted = new Planted();
        planted.thread(201, "node").thread(202, "node");
        planted.poll(0, 3000).poll(3000, 3001);
    }

    @AfterEach
    void close() throws SQLException {
        planted.close();
    }

    @Test
    void poolWhoseThreadsDoNotComeBackIsFoundWithWhatTheyDo() throws Exception {
        long caller = planted.stack("uv_fs_open", "open node:internal/fs/promises:5", "readPipe /app/lib/pipe.js:7");
        stuck(10, caller);

        List<Finding> findings = planted.findings(folder);

        assertThat(findings).extracting(Finding::rule).containsExactly("pool-stuck");
        assertThat(findings.get(0).title())
                .isEqualTo("The thread pool is stuck: 2 threads are busy with fs one of /run/pipe, from readPipe"
                        + " (lib/pipe.js:7), and 4 pieces of work never began.");
        assertThat(findings.get(0).text())
                .contains("4 pieces of work (most often crypto) had not begun", "for the last 3.0 s");
    }

    /** What ran before the recording has no thread that is known. */
    @Test
    void poolThatWasStuckBeforeIsFoundWithoutItsWork() throws Exception {
        waiting(1, 100);

        Finding finding = planted.finding(folder, "pool-stuck");

        assertThat(finding.evidence()).extracting(Finding.Evidence::sectionId).contains("pool");
        assertThat(finding.title())
                .isEqualTo(
                        "The thread pool is stuck: its threads are busy with what began before the recording, and 4 pieces of"
                                + " work never began.");
    }

    /** A thread that ends its work comes back, whatever began before. */
    @Test
    void poolWhoseWorkEndsNowAndThenIsNotStuck() throws Exception {
        stuck(10, 0);
        planted.event(Planted.LOOP, "node-fs", "fs work queued", 5, Map.of("request", 550), 0);
        planted.span(203, "node-fs", "uv__fs_work", 6, 2900, Map.of("request", 550, "type", 1, "path", "/srv/slow"));

        assertThat(planted.rules(folder)).doesNotContain("pool-stuck");
    }

    @Test
    void workThatWasQueuedAtTheEndIsNotStuck() throws Exception {
        stuck(2400, 0);

        assertThat(planted.rules(folder)).containsExactly("healthy");
    }

    private void stuck(double fromMs, long caller) throws SQLException {
        for (int i = 0; i < 2; i++) {
            Map<String, Object> request = Map.of("request", 500 + i, "kind", "fs");
            planted.event(Planted.LOOP, "node-fs", "fs work queued", fromMs, Map.of("request", 500 + i), 0);
            if (caller != 0) {
                planted.event(Planted.LOOP, "node-callers", "caller of fs work", fromMs, request, caller);
            }
            planted.span(
                    201 + i,
                    "node-fs",
                    "uv__fs_work",
                    fromMs + 1,
                    fromMs + 2,
                    Map.of("request", 500 + i, "type", 1, "path", "/run/pipe"));
        }
        planted.sql("UPDATE spans SET duration_ns = NULL, kind = 'OPEN_SPAN' WHERE probe = 'uv__fs_work'");
        waiting(0, fromMs + 10);
    }

    private void waiting(int first, double fromMs) throws SQLException {
        for (int i = first; i < first + 4; i++) {
            planted.event(
                    Planted.LOOP,
                    "node-pool",
                    "work queued",
                    fromMs + i,
                    Map.of("request", 600 + i, "kind", "crypto"),
                    0);
        }
    }
}
