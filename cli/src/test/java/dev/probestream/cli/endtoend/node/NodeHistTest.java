package dev.probestream.cli.endtoend.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.NodeFixture;
import dev.probestream.cli.node.NodeBinary;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What {@code hist} counts by function is what the functions of an application called, on Node without any flag. */
@KernelTest(since = "5.8")
class NodeHistTest {
    private static final String NODES = "dev.probestream.cli.endtoend.fixture.NodeVersions#all";

    /** Each asks for files in its own way, through functions of Node's own. */
    private static final String APPLICATION = """
            const fs = require('fs')
            function inList(count) {
              for (let i = 0; i < count; i++) fs.closeSync(fs.openSync('/etc/hostname'))
            }
            class Store {
              load(count) { for (let i = 0; i < count; i++) fs.readFileSync('/etc/hosts') }
            }
            const does = {
              walk(count) { inList(count); new Store().load(2 * count); [1, 2].forEach(function each() { inList(count) }) },
            }
            require('readline').createInterface({ input: process.stdin })
              .on('line', line => { const [name, count] = line.split(' '); does[name](Number(count)); console.log('done') })
            console.log('ready')
            """;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @MethodSource(NODES)
    void callsAreCountedByTheInnermostFunctionOfTheApplication(NodeBinary node) throws Exception {
        Path script = Files.writeString(folder.resolve("walks.js"), APPLICATION);
        try (NodeFixture app = NodeFixture.start(new ProcessBuilder(node.path().toString(), script.toString()));
                CommandRun hist = CommandRun.start(
                        "hist", "-p", app.pid(), "--json", "-i", "60", "uprobe:uv_fs_open", "--by", "function")) {
            hist.await("counting at 1 probe");
            app.ask("walk 200");
            assertThat(hist.interrupt().end()).isZero();
            JsonNode histogram =
                    new ObjectMapper().readTree(hist.out()).get("histograms").get(0);

            Map<String, Long> counts = new HashMap<>();
            for (JsonNode row : histogram.get("rows")) {
                JsonNode function = row.at("/key/0/0");
                assertThat(function.get("file").asText()).isEqualTo(script.toString());
                counts.merge(function.get("symbol").asText(), row.get("count").asLong(), Long::sum);
            }
            assertThat(histogram.get("lost")).isEmpty();
            assertThat(counts).containsOnly(Map.entry("inList", 600L), Map.entry("load", 400L));
        }
    }
}
