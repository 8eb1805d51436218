package dev.probestream.query.report.analysis.rule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.query.report.analysis.Planted;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FailuresRuleTest {
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
    void requestsThatFailAreFound() throws Exception {
        for (int i = 0; i < 20; i++) {
            planted.request("SERVER", "/pay", i, i + 1, (i < 5 ? "503" : "200") + " AS status");
        }
        planted.poll(0, 30).poll(30, 31);

        assertThat(planted.finding(folder, "errors").title())
                .isEqualTo("25 % of the requests failed: most of them GET /pay.");
    }

    @Test
    void refusedConnectionsAreFoundButMissingFilesAreNot() throws Exception {
        for (int i = 0; i < 6; i++) {
            planted.span(
                    Planted.LOOP,
                    "node-net",
                    "connect",
                    i,
                    i + 0.1,
                    Map.of("remote", "10.0.0.5:6379", "stream", i),
                    -111);
            planted.span(
                    Planted.LOOP,
                    "node-fs",
                    "uv_fs_stat",
                    i,
                    i + 0.1,
                    Map.of("path", "/x", "request", i, "callback", SYNC),
                    -2);
        }

        assertThat(planted.rules(folder)).containsExactly("errors");
        assertThat(planted.finding(folder, "errors").title())
                .isEqualTo("6 calls failed with ECONNREFUSED: most often connect of 10.0.0.5:6379.");
    }
}
