package dev.probestream.cli.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Spans between two probes in {@code trace}, {@code hist} and {@code record}. */
@KernelTest(since = "5.8")
class SpanCommandsTest {
    private static final String BY_ID =
            "span(uprobe:start(id=arg1, what=arg2:str) -> uprobe:finish(id=arg1:s32, out=arg2) by id)";

    @TempDir
    static Path folder;

    private static CProgram program;

    @BeforeAll
    static void compile() throws Exception {
        program = CProgram.compile(folder, "span/ends");
    }

    @Test
    void traceShowsTheArgumentsOfBothEnds() throws Exception {
        String line = outputOf("tracing", List.of("start 4 work", "finish 4 8"), "trace", BY_ID, "--json")
                .get(0);

        JsonNode hit = new ObjectMapper().readTree(line);
        assertThat(hit.get("probe").asText()).isEqualTo("start -> finish");
        assertThat(hit.get("durationNs").asLong()).isPositive();
        assertThat(hit.get("arguments").toString()).isEqualTo("{\"id\":4,\"what\":\"work\",\"out\":8}");
    }

    @Test
    void histShowsDurationsByArgumentsOfEitherEnd() throws Exception {
        List<String> lines = outputOf(
                "counting", List.of("pairs 2 50"), "hist", BY_ID, "--by", "out", "--top", "3", "--json", "-i", "60");

        JsonNode rows = histogram(lines).get("rows");
        assertThat(rows).hasSize(50).allMatch(row -> row.get("count").asLong() == 2);
    }

    @Test
    void histShowsLatenciesOfSystemCallsByName() throws Exception {
        List<String> lines =
                outputOf("counting", List.of("open 200"), "hist", "syscalls:all", "--by", "name", "--json", "-i", "60");

        assertThat(histogram(lines).get("name").asText()).isEqualTo("syscalls:all");
        assertThat(histogram(lines).get("rows"))
                .filteredOn(row -> row.get("key").get(0).asText().equals("openat"))
                .hasSize(1)
                .allMatch(row -> row.get("count").asLong() == 200);
    }

    @Test
    void sumsOfSystemCallsAreByNameToo() throws Exception {
        List<String> lines = outputOf(
                "counting",
                List.of("open 20"),
                "hist",
                "syscalls:all",
                "--by",
                "name",
                "--stats",
                "--json",
                "-i",
                "60");

        assertThat(histogram(lines).get("rows"))
                .filteredOn(row -> row.get("key").get(0).asText().equals("close"))
                .hasSize(1)
                .allMatch(row -> row.get("count").asLong() == 20);
    }

    @Test
    void recordedSpansAreInTheTables() throws Exception {
        Path file = folder.resolve("spans.avro");
        outputOf(
                "recording", List.of("across 20", "start 99 open"), "record", "-o", file.toString(), "--probes", BY_ID);

        CommandRun query = CommandRun.run(
                "query",
                file.toString(),
                "select kind, count(*) as n, min(duration_ns) > 0 as ok from spans group by kind order by kind",
                "--format",
                "csv");
        assertThat(query.out())
                .as(String.join("\n", query.said()))
                .contains("\nSPAN,20,true")
                .contains("OPEN_SPAN,1,");
    }

    @Test
    void scriptOfBpftraceThatKeepsTimesIsCounted() throws Exception {
        Path script = folder.resolve("times.bt");
        Files.writeString(script, """
                #!/usr/bin/env bpftrace
                // Time from "start" to "finish", by what finish got.
                uprobe:%1$s:start { @start[tid] = nsecs; @id[tid] = arg0; }
                uprobe:%1$s:finish /@start[tid]/ {
                    @us[arg1] = hist((nsecs - @start[tid]) / 1000);
                    @ids[@id[tid]] = count();
                    delete(@start[tid]);
                    delete(@id[tid]);
                }
                """.formatted(program.executable()));
        List<String> lines =
                outputOf("counting", List.of("pairs 2 10"), "hist", script.toString(), "--json", "-i", "60");

        JsonNode histograms =
                new ObjectMapper().readTree(lines.get(lines.size() - 1)).get("histograms");
        assertThat(histograms.get(0).get("rows"))
                .hasSize(10)
                .allMatch(row -> row.get("count").asLong() == 2);
        assertThat(histograms.get(1).get("rows"))
                .hasSize(20)
                .allMatch(row -> row.get("count").asLong() == 1);
    }

    @Test
    void keptValuesArePrintedAtTheEnd() throws Exception {
        String path = program.executable().toString();
        List<String> lines = outputOf(
                "tracing",
                List.of("finish 1 1", "start 7 work", "finish 1 8", "start 9 open"),
                "trace",
                "uprobe:" + path + ":start { @what[tid] = arg1; @t[tid] = nsecs; } uprobe:" + path
                        + ":finish /@what[tid]/ { printf(\"%s %d %d\\n\", str(@what[tid]), arg1, nsecs - @t[tid]);"
                        + " delete(@what[tid]); }");

        assertThat(lines).hasSize(1);
        assertThat(lines.get(0)).matches("work 8 [1-9][0-9]*");
    }

    @Test
    void summedSystemCallsAreRefusedWithWhatCanBeCounted() throws Exception {
        CommandRun hist = CommandRun.run("hist", "-p", "1", "syscalls", "--by", "name");

        assertThat(hist.exitCode()).isEqualTo(2);
        assertThat(String.join("\n", hist.said())).contains("syscalls cannot be counted: syscalls:all can");
    }

    private static JsonNode histogram(List<String> lines) throws Exception {
        return new ObjectMapper()
                .readTree(lines.get(lines.size() - 1))
                .get("histograms")
                .get(0);
    }

    private static List<String> outputOf(String ready, List<String> asked, String command, String... arguments)
            throws Exception {
        try (CProgram.Running running = program.start()) {
            List<String> words = new ArrayList<>(List.of(command, "-p", String.valueOf(running.pid())));
            words.addAll(List.of(arguments));
            try (CommandRun run = CommandRun.start(words.toArray(String[]::new))) {
                run.await(ready);
                for (String line : asked) {
                    running.ask(line);
                }
                assertThat(run.interrupt().end())
                        .as(String.join("\n", run.said()))
                        .isZero();
                return run.out().lines().toList();
            }
        }
    }
}
