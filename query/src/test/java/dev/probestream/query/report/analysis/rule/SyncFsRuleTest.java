package dev.probestream.query.report.analysis.rule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.query.report.Finding;
import dev.probestream.query.report.Finding.Severity;
import dev.probestream.query.report.analysis.Planted;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SyncFsRuleTest {
    private static final int ASYNC = 0xabc;
    private static final int SYNC = 0;

    @TempDir
    private Path folder;

    private Planted planted;

    @BeforeEach
    void begin() throws SQLException {
        planted = new Planted();
    }

    @AfterEach
    void close() throws SQLException {
        planted.close();
    }

    @Test
    void synchronousFilesInTheLoopAreNamedWithTheirCaller() throws Exception {
        long render = planted.stack(
                "node::fs::Open",
                "openSync node:fs:573",
                "renderPage /app/lib/template.js:19",
                "onRequest /app/server.js:5");
        planted.turns(150, 2, 2);
        for (int i = 0; i < 40; i++) {
            files(2 + i * 3, 2 + i * 3 + 2.5, "/app/partials/" + i % 4 + ".html", SYNC);
            planted.event(Planted.LOOP, "node-callers", "caller of sync open", 2 + i * 3, Map.of("request", 5), render);
        }

        Finding finding = planted.finding(folder, "sync-fs");

        assertThat(finding.severity()).isEqualTo(Severity.HIGH);
        assertThat(finding.title())
                .isEqualTo(
                        "Synchronous file system calls (open of 4 files in /app/partials) held the event loop for 100 ms,"
                                + " from renderPage (lib/template.js:19).");
        assertThat(finding.text()).contains("40 calls in 1 turn");
    }

    @Test
    void asynchronousFilesDoNotBlockTheLoop() throws Exception {
        planted.turns(75, 2, 2);
        for (int i = 0; i < 40; i++) {
            files(2 + i * 1.5, 2 + i * 1.5 + 1.2, "/app/partials/1.html", ASYNC);
        }

        assertThat(planted.rules(folder)).containsExactly("healthy");
    }

    @Test
    void filesLoadedBeforeTheLoopStartsDoNotBlockIt() throws Exception {
        for (int i = 0; i < 40; i++) {
            files(i * 3, i * 3 + 2.5, "/app/node_modules/" + i + ".js", SYNC);
        }
        planted.poll(200, 201).poll(210, 211);

        assertThat(planted.rules(folder)).containsExactly("healthy");
    }

    private void files(double fromMs, double toMs, String path, int callback) throws SQLException {
        planted.span(
                Planted.LOOP,
                "node-fs",
                "uv_fs_open",
                fromMs,
                toMs,
                Map.of("path", path, "request", 5, "callback", callback),
                3);
    }
}
