package dev.probestream.query.report.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.query.report.ReportContents;
import dev.probestream.query.report.ReportContents.Fact;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'node', '-r', './tracing.js', '/srv/shop/server.js'",
                "'/usr/bin/node', '--require', '/srv/x/preflight.cjs', '--import', 'file:///srv/x/loader.mjs', '/srv/shop/server.js', 'a.js'",
                "'node', '--env-file', 'local.js', '--max-old-space-size=400', '/srv/shop/server.js'",
                "'node', 'inspect', '/srv/shop/server.js'"
            })
    void theValueOfAnOptionIsNotTheScript(String commandLine) throws Exception {
        try (Planted planted = new Planted()) {
            planted.event(Planted.LOOP, "node-http", "HTTP request", 0, Map.of("stream", 5), 0);
            planted.sql("UPDATE processes SET command_line = [" + commandLine + "]");

            assertThat(planted.report(folder).title()).startsWith("shop/server.js (node, pid 100) on web-1");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "'node', '/srv/shop/bin/www'       | bin/www (node, pid 100) on web-1",
                "'node', '-e', 'serve()', 'a.js'   | node (pid 100) on web-1",
                "'node', '.'                       | node (pid 100) on web-1",
                "'node'                            | node (pid 100) on web-1",
                "'redis-server', '*:6379'          | node (pid 100) on web-1"
            })
    void theTitleNamesWhatNodeRunsWhateverItsName(String commandLine, String title) throws Exception {
        try (Planted planted = new Planted()) {
            planted.event(Planted.LOOP, "node-http", "HTTP request", 0, Map.of("stream", 5), 0);
            planted.sql("UPDATE processes SET command_line = [" + commandLine + "]");

            assertThat(planted.report(folder).title()).startsWith(title);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "'node', '/srv/shop/server.js' | shop 1.2.0 | Node.js 20.20.2 | shop 1.2.0 (server.js, Node.js 20.20.2, pid 100) on web-1",
                "'node', '/srv/shop/server.js' | shop 1.2.0 | NULL            | shop 1.2.0 (server.js, node, pid 100) on web-1",
                "'node', '/srv/shop/server.js' | NULL       | Node.js 20.20.2 | shop/server.js (Node.js 20.20.2, pid 100) on web-1",
                "'node', '.'                   | shop       | Node.js 20.20.2 | shop (Node.js 20.20.2, pid 100) on web-1",
                "'node'                        | NULL       | Node.js 20.20.2 | node (Node.js 20.20.2, pid 100) on web-1"
            })
    void theTitleNamesTheApplicationAndTheRuntimeThatAreKnown(
            String commandLine, String application, String runtime, String title) throws Exception {
        try (Planted planted = new Planted()) {
            planted.event(Planted.LOOP, "node-http", "HTTP request", 0, Map.of("stream", 5), 0);
            planted.sql("UPDATE processes SET command_line = [" + commandLine + "]");
            program(planted, 1, runtime, application);

            assertThat(planted.report(folder).title()).startsWith(title);
        }
    }

    @Test
    void theProgramThatAProcessExecutedLastCounts() throws Exception {
        try (Planted planted = new Planted()) {
            program(planted, 5, "Node.js 22.1.0", "NULL");
            program(planted, 0, "Node.js 20.20.2", "shop 1.2.0");

            assertThat(planted.report(folder).title()).startsWith("node (Node.js 22.1.0, pid 100) on web-1");
        }
    }

    /** As the set process records it; "NULL" could not be read. */
    private static void program(Planted planted, double atMs, String runtime, String application) throws Exception {
        Map<String, Object> texts = new LinkedHashMap<>();
        texts.put("runtime", runtime);
        texts.put("application", application);
        planted.event(Planted.LOOP, "process", "program", atMs, texts, 0);
        planted.sql("UPDATE events SET s0 = nullif(s0, 'NULL'), s1 = nullif(s1, 'NULL') WHERE probe = 'program'");
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
