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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code hist} counts by stack is what the program called, path by path. */
@KernelTest(since = "5.8")
class HistByStackTest {
    private static final int WALKS = 500;

    @TempDir
    static Path folder;

    private static CProgram paths;

    @BeforeAll
    static void compile() throws Exception {
        paths = CProgram.compile(folder, "bpf/paths", "-fno-omit-frame-pointer");
    }

    @Test
    void callsAreCountedByThePathThatLedThere() throws Exception {
        JsonNode histogram = counted("walk " + WALKS, "uprobe:sink(a=arg1:s64)", "--by", "ustack")
                .get(0);

        Map<String, Long> counts = new HashMap<>();
        for (JsonNode row : histogram.get("rows")) {
            counts.merge(path(row.get("key").get(0)), row.get("count").asLong(), Long::sum);
        }
        assertThat(counts)
                .containsOnly(
                        Map.entry("sink left main", (long) WALKS),
                        Map.entry("sink right main", (long) WALKS),
                        Map.entry("sink left both main", (long) WALKS),
                        Map.entry("sink right both main", (long) WALKS));
        assertThat(histogram.get("lost")).isEmpty();
    }

    @Test
    void foldedStacksAndThePageHaveTheSameWeights() throws Exception {
        Path page = folder.resolve("flames.html");
        CommandRun hist = ran(
                "walk 100",
                "uprobe:sink(a=arg1:s64)",
                "--of",
                "a",
                "--stats",
                "--by",
                "ustack",
                "--folded",
                "-o",
                page.toString());

        Map<String, Long> sums = new HashMap<>();
        for (String line : hist.out().lines().toList()) {
            int blank = line.lastIndexOf(' ');
            List<String> functions =
                    new ArrayList<>(List.of(line.substring(0, blank).split(";")));
            String path = String.join(
                    ";",
                    functions.subList(functions.indexOf("main"), functions.size()).stream()
                            .filter(function -> !function.equals("leaf"))
                            .toList());
            sums.merge(path, Long.parseLong(line.substring(blank + 1)), Long::sum);
        }
        // The sum of 0 to 99 on each path.
        assertThat(sums)
                .containsOnly(
                        Map.entry("main;left;sink", 4950L),
                        Map.entry("main;right;sink", 4950L),
                        Map.entry("main;both;left;sink", 4950L),
                        Map.entry("main;both;right;sink", 4950L));
        String html = Files.readString(page);
        int begin = html.indexOf("id=\"report\">") + "id=\"report\">".length();
        JsonNode flame = new ObjectMapper()
                .readTree(html.substring(begin, html.indexOf("</script>", begin)))
                .at("/sections/0/parts/0");
        assertThat(flame.get("unit").asText()).isEqualTo("a");
        assertThat(flame.at("/root/value").asDouble()).isEqualTo(4 * 4950);
        assertThat(weight(flame.get("root"), "both")).isEqualTo(2 * 4950);
        assertThat(weight(flame.get("root"), "left")).isEqualTo(2 * 4950);
        assertThat(hist.said()).anyMatch(line -> line.startsWith("wrote " + page));
    }

    @Test
    void valuesAreAddedUpComputedAndPutIntoBuckets() throws Exception {
        JsonNode histograms = counted(
                "walk 10",
                "-e",
                "uprobe:paths:sink { @s[arg1] = sum(arg0); @a = avg(arg0 * 10 + 5); @m = max(arg0 - arg1);"
                        + " @n = min(arg0 - arg1); @h[ustack(1)] = hist(arg0 / 2 % 3); @st = stats(arg0) }");

        JsonNode sums = histograms.get(0).get("rows");
        assertThat(sums).hasSize(2);
        assertThat(sums.get(0).get("sum").asLong()).isEqualTo(90);
        assertThat(sums.get(1).get("sum").asLong()).isEqualTo(90);
        assertThat(histograms.get(1).at("/rows/0/average").asLong()).isEqualTo(50);
        assertThat(histograms.get(2).at("/rows/0/max").asLong()).isEqualTo(-1);
        assertThat(histograms.get(3).at("/rows/0/min").asLong()).isEqualTo(-20);
        JsonNode buckets = histograms.get(4).at("/rows/0/buckets");
        // a / 2 % 3 of 0 to 9: 0 0 1 1 2 2 0 0 1 1, on four paths.
        assertThat(buckets.findValuesAsText("count")).containsExactly("16", "16", "8");
        assertThat(histograms.get(5).at("/rows/0/values").asLong()).isEqualTo(40);
    }

    @Test
    void stacksOfTheKernelSamplesAndFunctionsAreKeys() throws Exception {
        JsonNode histograms = counted(
                "walk 20000",
                "-e",
                "tracepoint:syscalls:sys_enter_write { @[kstack, comm] = count(); } profile:hz:999 { @[ustack] = count(); }"
                        + " uprobe:paths:sink { @[ustack(1)] = count(); } interval:s:60 { exit(); }");

        JsonNode write = histograms.get(0).get("rows").get(0);
        assertThat(write.get("count").asLong()).isEqualTo(1);
        assertThat(write.at("/key/0/0/kind").asText()).isEqualTo("kernel");
        assertThat(write.at("/key/1").asText()).isEqualTo("paths");
        assertThat(histograms.get(1).get("rows")).isNotEmpty();
        assertThat(histograms.get(2).get("rows")).hasSize(1);
        assertThat(histograms.get(2).at("/rows/0/key/0/0/symbol").asText()).isEqualTo("sink");
        assertThat(histograms.get(2).at("/rows/0/count").asLong()).isEqualTo(80_000);
    }

    @Test
    void aPrintedValueIsComputedAndAnIntervalEndsTheCommand() throws Exception {
        try (CProgram.Running program = paths.start();
                CommandRun trace = CommandRun.start(
                        "trace",
                        "-p",
                        String.valueOf(program.pid()),
                        "-e",
                        "uprobe:paths:checked /arg1 / 10 == -3/ { printf(\"%d %d %d\\n\", (arg1 - arg0) / 10, arg0 / arg2,"
                                + " arg0 % arg2); } interval:s:3 { exit(); }")) {
            trace.await("tracing with 1 probe for 3.0 s");
            program.ask("check 7 -30 0 5");
            program.ask("check 7 -40 0 5");
            assertThat(trace.end()).isZero();
            assertThat(trace.out()).isEqualTo("-3 0 7\n");
        }
    }

    private static double weight(JsonNode node, String name) {
        double own = node.get("name").asText().equals(name) ? node.get("value").asDouble() : 0;
        for (JsonNode child : node.get("children")) {
            own += weight(child, name);
        }
        return own;
    }

    /** The functions up to main, the innermost first; without leaf, which calls sink on every path. */
    private static String path(JsonNode stack) {
        List<String> names = new ArrayList<>();
        for (JsonNode function : stack) {
            String symbol = function.get("symbol").asText();
            if (!symbol.equals("leaf")) {
                names.add(symbol);
            }
            if (symbol.equals("main")) {
                break;
            }
        }
        return String.join(" ", names);
    }

    private static JsonNode counted(String request, String... arguments) throws Exception {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.add("--json");
        List<String> lines =
                ran(request, all.toArray(String[]::new)).out().lines().toList();
        assertThat(lines).hasSize(1);
        return new ObjectMapper().readTree(lines.get(0)).get("histograms");
    }

    private static CommandRun ran(String request, String... arguments) throws Exception {
        try (CProgram.Running program = paths.start()) {
            List<String> command = new ArrayList<>(List.of("hist", "-p", String.valueOf(program.pid()), "-i", "60"));
            command.addAll(List.of(arguments));
            try (CommandRun hist = CommandRun.start(command.toArray(String[]::new))) {
                hist.await("counting at ");
                program.ask(request);
                assertThat(hist.interrupt().end())
                        .as(() -> String.valueOf(hist.said()))
                        .isZero();
                return hist;
            }
        }
    }
}
