package dev.probestream.cli.endtoend.ownstack;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.LineProgram;
import dev.probestream.cli.endtoend.fixture.NodeFixture;
import dev.probestream.cli.endtoend.fixture.NodeVersions;
import dev.probestream.cli.endtoend.fixture.RecordedStacks;
import dev.probestream.cli.node.NodeBinary;
import dev.probestream.schema.record.Frame;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Functions of every kind, in every tier of V8's compilers, are recorded as V8 itself writes them in {@code Error.stack}, or without a name. */
@Tag("deep")
@KernelTest(since = "5.8")
class OwnStackTest {
    private static final String NODES = "dev.probestream.cli.endtoend.fixture.NodeVersions#all";
    private static final int HITS = 10_000;
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path folder;

    @ParameterizedTest
    @MethodSource(NODES)
    void recordedStacksAreThoseThatV8Writes(NodeBinary node) throws Exception {
        for (String script : List.of("app.js", "hit.js", "shapes.js", "module.mjs", "worker.js")) {
            NodeFixture.copied(folder, "ownstack/" + script);
        }
        Path texts = folder.resolve("texts.jsonl");
        Path recording = folder.resolve("stacks.avro");
        try (LineProgram app = LineProgram.start(List.of(
                node.path().toString(),
                "--allow-natives-syntax",
                "--fuzzing", // intrinsics ignore functions that they cannot compile
                folder.toRealPath().resolve("ownstack/app.js").toString(),
                texts.toString(),
                String.valueOf(HITS)))) {
            try (CommandRun record = CommandRun.start(
                    "record",
                    "-p",
                    app.pid(),
                    "-o",
                    recording.toString(),
                    "--budget", // the warm-up alone is 47,000 hits/s: the guard would take the probe away
                    "off",
                    "--probes",
                    "uprobe:uv_fs_write(id=arg6:s64) /id > 0/ [ustack]")) {
                record.awaitRecording();
                app.ask("go");
                assertThat(record.interrupt().end()).isZero();
            }
        }
        Map<Long, List<Frame>> recorded = RecordedStacks.read(recording).byNumber();
        Map<String, StackComparison> byTier = new TreeMap<>();
        StackComparison all = new StackComparison();
        int compared = 0;
        for (String line : Files.readAllLines(texts)) {
            JsonNode hit = JSON.readTree(line);
            List<Frame> stack = recorded.getOrDefault(hit.path("id").asLong(), List.of());
            String where = hit.path("tier").asText() + " " + hit.path("shape").asText();
            List<Boolean> anonymous = new ArrayList<>();
            hit.path("anonymous").forEach(isAnonymous -> anonymous.add(isAnonymous.asBoolean()));
            for (StackComparison comparison :
                    List.of(all, byTier.computeIfAbsent(hit.path("tier").asText(), tier -> new StackComparison()))) {
                comparison.add(where, hit.path("stack").asText(), anonymous, stack);
            }
            compared++;
        }
        System.out.println(node.path() + ", " + compared + " hits: " + all.summary());
        byTier.forEach((tier, comparison) -> System.out.println("  " + tier + ": " + comparison.summary()));

        assertThat(compared).isGreaterThanOrEqualTo(HITS);
        assertThat(all.wrong()).as(all::toString).isZero();
        // Objects may move before a stack is read, on a busy machine more often. Then it is not compared, but each
        // line is read in some stack.
        long read = all.frames() - all.unread();
        assertThat(read).as(all::toString).isGreaterThan(all.frames() / 2);
        // V8 14.6 shows who awaits a thenable, whose job is not followed, and functions with the name of a symbol.
        boolean showsMore = NodeVersions.major(node) >= 26;
        assertThat(all.equal()).as(all::toString).isGreaterThanOrEqualTo(read * (showsMore ? 980 : 995) / 1000);
        if (!showsMore) {
            assertThat(all.neverRead()).as(all::toString).isEmpty();
        }
    }
}
