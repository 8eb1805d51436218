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

class ConnectionsLeakedRuleTest {
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
    void connectionsThatAreNeverClosedAreFoundWithTheCodeThatOpensThem() throws Exception {
        long fetch = planted.stack("uv_tcp_init", "connect node:net:1290", "fetchPrice /app/lib/feed.js:9");
        for (int i = 0; i < 40; i++) {
            planted.event(
                    Planted.LOOP, "node-callers", "caller of TCP socket", i * 20, Map.of("stream", 1000 + i), fetch);
            connect(i * 20, 1000 + i);
        }
        planted.poll(0, 999).poll(999, 1000);

        Finding finding = planted.finding(folder, "connections-leaked");

        assertThat(finding.severity()).isEqualTo(Severity.HIGH);
        assertThat(finding.title())
                .isEqualTo(
                        "40 connections to 10.0.0.5:5432 were opened and not closed, from fetchPrice (lib/feed.js:9).");
    }

    @Test
    void connectionsThatAreClosedDoNotLeak() throws Exception {
        for (int i = 0; i < 40; i++) {
            connect(i * 20, 1000 + i);
            planted.event(Planted.LOOP, "node-net", "close", i * 20 + 10, Map.of("stream", 1000 + i, "handle", 12), 0);
        }
        planted.poll(0, 999).poll(999, 1000);

        assertThat(planted.rules(folder)).containsExactly("healthy");
    }

    @Test
    void poolOfConnectionsThatDoesNotGrowDoesNotLeak() throws Exception {
        for (int i = 0; i < 40; i++) {
            connect(i < 39 ? i * 0.1 : 900, 1000 + i);
        }
        planted.poll(0, 999).poll(999, 1000);

        assertThat(planted.rules(folder)).containsExactly("healthy");
    }

    /** Each waits for its answer when the next one is opened, and is kept open afterwards. */
    @Test
    void poolThatGrowsWithItsLoadDoesNotLeak() throws Exception {
        for (int i = 0; i < 40; i++) {
            connect(i * 20, 1000 + i);
            planted.event(Planted.LOOP, "node-net", "bytes read", 800 + i, Map.of("stream", 1000 + i, "bytes", 12), 0);
        }
        planted.poll(0, 2999).poll(2999, 3000);

        assertThat(planted.rules(folder)).containsExactly("healthy");
    }

    private void connect(double atMs, int stream) throws SQLException {
        planted.span(
                Planted.LOOP,
                "node-net",
                "connect",
                atMs,
                atMs + 0.1,
                Map.of("stream", stream, "remote", "10.0.0.5:5432"));
    }
}
