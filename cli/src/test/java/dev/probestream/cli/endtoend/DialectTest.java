package dev.probestream.cli.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lines of bcc and bpftrace against this machine's C library, shell and kernel, and C++ overloads. */
@KernelTest(since = "5.8")
@Tag("deep")
class DialectTest {
    private static final Path EVENTS = Path.of("/sys/kernel/tracing/events");
    private static final Pattern VERBATIM =
            Pattern.compile("\\| (trace|trace -e|hist|hist -e|hist -C|hist -H) \\| `(.*)` \\| verbatim \\| `(.*)` \\|");
    /** The C library and bash of any distribution; an offset depends on the build. */
    private static final Pattern FUNCTION =
            Pattern.compile("(?:uprobe|uretprobe|span):(?:c|libc|bash|/bin/bash):\\w+(?:\\(.*|/.*| .*)?");

    private static final Pattern TRACEPOINT = Pattern.compile("tracepoint:(\\w+):(\\w+)(?:\\(.*| .*)?");

    @TempDir
    static Path folder;

    private static Path overloads;

    @BeforeAll
    static void compile() throws Exception {
        Path source = folder.resolve("overloads.cpp");
        overloads = folder.resolve("overloads");
        try (InputStream code = DialectTest.class.getResourceAsStream("/testdata/trace/overloads.cpp")) {
            Files.write(source, code.readAllBytes());
        }
        assertThat(new ProcessBuilder("g++", "-O1", "-o", overloads.toString(), source.toString())
                        .inheritIO()
                        .start()
                        .waitFor())
                .isZero();
    }

    @Test
    void verbatimLinesAttach() throws Exception {
        Map<String, List<String>> lines = new TreeMap<>();
        for (String row : Files.readAllLines(Path.of("..", "docs", "dialect.md"))) {
            Matcher verbatim = VERBATIM.matcher(row);
            if (verbatim.matches() && isHere(verbatim.group(3))) {
                String[] command = verbatim.group(1).split(" ");
                List<String> words = lines.computeIfAbsent(command[0], unused -> new ArrayList<>(List.of(command[0])));
                if (command.length > 1) {
                    words.add(command[1]);
                }
                words.add(verbatim.group(2).replace("\\|", "|"));
            }
        }
        assertThat(lines.get("trace")).hasSizeGreaterThan(15);
        assertThat(lines.get("hist")).hasSizeGreaterThan(30);
        for (List<String> words : lines.values()) {
            words.addAll(List.of("--", "bash", "-c", "read line </dev/null; true"));
            CommandRun run = CommandRun.run(words.toArray(String[]::new));
            assertThat(run.said())
                    .as(String.join("\n", words))
                    .contains("ended: the command 'bash' ended with status 0");
        }
    }

    private static boolean isHere(String spec) {
        Matcher tracepoint = TRACEPOINT.matcher(spec);
        return FUNCTION.matcher(spec).matches()
                || (tracepoint.matches()
                        && Files.exists(EVENTS.resolve(tracepoint.group(1)).resolve(tracepoint.group(2))));
    }

    @Test
    void overloadsAndInstancesAreCountedApart() throws Exception {
        String relative = Path.of("").toAbsolutePath().relativize(overloads).toString();
        CommandRun hist = CommandRun.run(
                "hist", "--json", "uprobe:" + relative + ":ns::*", "--by", "probe", "--", overloads.toString());

        Map<String, Long> counts = new TreeMap<>();
        JsonNode histogram =
                new ObjectMapper().readTree(hist.out()).get("histograms").get(0);
        for (JsonNode row : histogram.get("rows")) {
            counts.put(row.get("key").get(0).asText(), row.get("count").asLong());
        }
        assertThat(counts)
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "ns::f(int)", 2L, "ns::f(double)", 3L, "ns::g<int>(int)", 5L, "ns::g<double>(double)", 1L));

        CommandRun trace = CommandRun.run(
                "trace",
                "uprobe:" + overloads + ":ns::f(int)",
                overloads + ":ns::g<int> \"%d\" arg1",
                "--",
                overloads.toString());
        assertThat(trace.out().lines().filter(line -> line.contains(" ns::f(int) ")))
                .hasSize(2);
        assertThat(trace.out().lines().filter(line -> line.contains("ns::g<int>") && line.endsWith(" 4")))
                .hasSize(1);
        assertThat(trace.out()).doesNotContain("double");
    }
}
