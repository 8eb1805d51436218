package dev.probestream.query.report.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.query.report.ReportContents;
import dev.probestream.query.report.ReportContents.Fact;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an engineer reads first: the title, what to do, and the warnings of the collector. */
class FindingsOfThePageTest {
    @TempDir
    private Path folder;

    @Test
    void theTitleNamesTheScriptAndThePid() throws Exception {
        try (Planted planted = new Planted()) {
            planted.event(Planted.LOOP, "node-http", "HTTP request", 0, Map.of("stream", 5), 0);
            planted.sql("UPDATE processes SET command_line = ['node', '--inspect', '/srv/shop/server.js', '8080']");

            assertThat(planted.report(folder).title())
                    .startsWith("shop/server.js (node, pid 100) on web-1, 2026-01-01 00:00 UTC");
        }
    }

    @Test
    void processesOfOneScriptAreCounted() throws Exception {
        try (Planted planted = new Planted()) {
            planted.event(Planted.LOOP, "node-http", "HTTP request", 0, Map.of("stream", 5), 0);
            planted.sql("INSERT INTO processes BY NAME SELECT 1 AS capture_id, 101 AS pid, 'node' AS name");
            planted.sql("UPDATE processes SET command_line = ['node', 'server.mjs']");

            assertThat(planted.report(folder).title())
                    .startsWith("server.mjs (node, 2 processes, pids 100, 101) on web-1");
        }
    }

    @Test
    void warningsOfTheCollectorAreAFactOfTheirOwn() throws Exception {
        try (Planted planted = new Planted()) {
            planted.event(Planted.LOOP, "node-http", "HTTP request", 0, Map.of("stream", 5), 0);
            planted.sql("UPDATE captures SET end_reason = 'Ctrl-C' || chr(10) || 'attached, not hit: a' || chr(10) ||"
                    + " 'late: b'");
            ReportContents report = planted.report(folder);

            assertThat(report.captures().get(0).facts())
                    .contains(new Fact("ended", "Ctrl-C"), new Fact("warnings", "attached, not hit: a\nlate: b"));
        }
    }

    @Test
    void eachFindingHasWhatToDo() throws Exception {
        try (Planted planted = new Planted()) {
            planted.turns(10, 900, 10);

            assertThat(planted.finding(folder, "loop-blocked").remedy()).contains("worker thread");
            assertThat(planted.finding(folder, "loop-blocked").isConsequence()).isFalse();
        }
    }
}
