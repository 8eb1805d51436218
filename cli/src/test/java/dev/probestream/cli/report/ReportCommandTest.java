package dev.probestream.cli.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.probestream.query.report.analysis.Planted;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Which recordings the command compares, and of which it makes one report. */
class ReportCommandTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path folder;

    @Test
    void twoRecordingsOfAProgramOneAfterTheOtherAreCompared() throws Exception {
        String before = recording("before", 1, 5, 0);
        String after = recording("after", 2, 60, 100);

        Path page = folder.resolve("page.html");
        Run run = run(before, after, "-o", page.toString());

        assertThat(run.exitCode()).isZero();
        assertThat(run.out())
                .startsWith("What changed from " + before)
                .contains("HIGH    The median of GET /a rose from 5.", "confidence > 99.9 %");
        assertThat(Files.readString(page)).contains("\"id\":\"changes\"").contains("What changed");
    }

    @Test
    void togetherOrAtTheSameTimeTheyAreOneReport() throws Exception {
        String before = recording("before", 1, 5, 0);
        String beside = recording("beside", 2, 60, 1);

        for (List<String> arguments :
                List.of(List.of(before, beside, "--together", "--json"), List.of(before, beside, "--json"))) {
            JsonNode json = JSON.readTree(run(arguments.toArray(String[]::new)).out());
            assertThat(json.findValuesAsText("id")).doesNotContain("changes").contains("requests");
        }
        JsonNode compared =
                JSON.readTree(run(before, beside, "--compare", "--json").out());
        assertThat(compared.at("/sections/0/id").asText()).isEqualTo("changes");
        assertThat(compared.at("/findings/0/rule").asText()).isEqualTo("changed");
        assertThat(compared.path("captures")).hasSize(2);
    }

    @Test
    void optionsThatDoNotFitAreRefused() {
        assertThat(run("a.avro", "--compare", "--json"))
                .isEqualTo(new Run(2, "", "--compare needs two recordings: the one before and the one after"));
        assertThat(run("a.avro", "b.avro", "--compare", "--together", "--json"))
                .isEqualTo(new Run(2, "", "--compare and --together exclude each other"));
        assertThat(run("a.avro", "b.avro", "--together"))
                .isEqualTo(new Run(2, "", "no output selected: use -o FILE.html or --json"));
    }

    /** How it ended; {@code err}: the first line. */
    private record Run(int exitCode, String out, String err) {}

    private static Run run(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exitCode = new CommandLine(new ReportCommand())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
        return new Run(
                exitCode,
                out.toString(),
                exitCode == 0 ? "" : err.toString().lines().findFirst().orElse(""));
    }

    /** Four seconds of a server that answers 100 requests a second. */
    private String recording(String name, int capture, double ms, int afterSeconds) throws Exception {
        try (Planted planted = new Planted()) {
            for (int i = 0; i < 400; i++) {
                planted.request("SERVER", "/a", 10 * i, 10 * i + ms * (1 + 0.02 * (i * 7 % 11)), "200 AS status");
            }
            planted.event(Planted.LOOP, "node-http", "HTTP request", 0, Map.of("stream", 5), 0);
            planted.event(Planted.LOOP, "sched", "sched_waking", 4000, Map.of("woken", 9), 0);
            planted.sql("UPDATE captures SET ts = ts + INTERVAL %d SECOND, end_mono_ns = 4000000000"
                    .formatted(afterSeconds));
            for (String table : List.of("captures", "processes", "threads", "requests", "events", "probes")) {
                planted.sql("UPDATE %s SET capture_id = %d".formatted(table, capture));
            }
            return planted.write(folder.resolve(name)).toString();
        }
    }
}
