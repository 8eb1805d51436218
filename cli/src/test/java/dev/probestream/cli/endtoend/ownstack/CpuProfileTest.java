package dev.probestream.cli.endtoend.ownstack;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.LineProgram;
import dev.probestream.cli.endtoend.fixture.NodeFixture;
import dev.probestream.cli.endtoend.fixture.RecordedStacks;
import dev.probestream.cli.node.NodeBinary;
import dev.probestream.schema.record.Frame;
import dev.probestream.schema.record.FrameKind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** CPU samples of a busy application beside the profile of V8's own profiler (as of {@code --cpu-prof}) of the same seconds. */
@Tag("deep")
@KernelTest(since = "5.8")
class CpuProfileTest {
    private static final String NODES = "dev.probestream.cli.endtoend.fixture.NodeVersions#all";
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long MILLISECONDS = 4_000;
    private static final int FIRST = 10;

    /** Of a hundred. On a quiet machine they differ by less than three; on a busy one the two clocks see other moments. */
    private static final double POINTS = 15;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @MethodSource(NODES)
    void samplesGiveEachFunctionTheShareThatV8Gives(NodeBinary node) throws Exception {
        Path script = NodeFixture.copied(folder, "ownstack/busy.js").toRealPath();
        Path recording = folder.resolve("cpu.avro");
        Path profile = folder.resolve("v8.cpuprofile");
        long begunMicros;
        long endMicros;
        try (LineProgram app = LineProgram.start(List.of(
                        node.path().toString(),
                        "--no-turbo-inlining", // V8's profile counts some inlined functions for the function they are
                        // in
                        script.toString()));
                CommandRun record = CommandRun.start(
                        "record", "-p", app.pid(), "-o", recording.toString(), "--probes", "profile:997")) {
            record.awaitRecording();
            begunMicros = Long.parseLong(app.ask("now"));
            Thread.sleep(MILLISECONDS); // not to wait for something: this long both look on
            endMicros = Long.parseLong(app.ask("now"));
            assertThat(record.interrupt().end()).isZero();
            app.ask("stop " + profile);
        }
        Map<String, Double> ours = shares(samples(recording, script));
        Map<String, Double> theirs =
                shares(selfSamples(JSON.readTree(profile.toFile()), script, begunMicros, endMicros));
        StringBuilder table = new StringBuilder(node.path() + "\n");
        double greatest = 0;
        List<String> first = theirs.keySet().stream()
                .sorted(Comparator.comparing((String name) -> theirs.getOrDefault(name, 0.0))
                        .reversed())
                .limit(FIRST)
                .toList();
        for (String function : first) {
            double share = ours.getOrDefault(function, 0.0);
            table.append(String.format(
                    "  %-20s V8 %5.1f %%, samples %5.1f %%%n", function, theirs.getOrDefault(function, 0.0), share));
            greatest = Math.max(greatest, Math.abs(share - theirs.getOrDefault(function, 0.0)));
        }
        System.out.print(table + "  " + ours + "\n");

        assertThat(first).hasSizeGreaterThanOrEqualTo(FIRST);
        assertThat(greatest).as(table::toString).isLessThan(POINTS);
    }

    /**
     * Samples by the innermost function of the script: what V8's own functions do counts for who calls them, and what was
     * inlined for the function that it is in, as in V8's profile.
     */
    private static Map<String, Double> samples(Path recording, Path script) throws IOException {
        Map<String, Double> samples = new HashMap<>();
        for (List<Frame> stack : RecordedStacks.read(recording).of("cpu sample", "")) {
            Optional<Frame> innermost = stack.stream()
                    .filter(frame -> frame.getKind() == FrameKind.JS && !frame.getIsInlined())
                    .findFirst();
            boolean isCollector =
                    stack.stream().anyMatch(frame -> frame.getSymbol().contains("CollectGarbage"));
            if (innermost.isPresent() && !isCollector) {
                Frame frame = innermost.get();
                boolean isOfScript = frame.getFile().equals(script.toString());
                samples.merge(
                        isOfScript ? key(frame.getSymbol(), frame.getLine()) : frame.getSymbol(), 1.0, Double::sum);
            }
        }
        return samples;
    }

    private static JsonNode callFrame(Map<Integer, JsonNode> nodes, int id) {
        return Objects.requireNonNull(nodes.get(id)).path("callFrame");
    }

    /** The same of V8's profile, a tree with a list of samples, between two times. */
    private static Map<String, Double> selfSamples(JsonNode profile, Path script, long begunMicros, long endMicros) {
        Map<Integer, JsonNode> nodes = new HashMap<>();
        Map<Integer, Integer> parents = new HashMap<>();
        for (JsonNode node : profile.path("nodes")) {
            int id = node.path("id").asInt();
            nodes.put(id, node);
            node.path("children").forEach(child -> parents.put(child.asInt(), id));
        }
        Map<String, Double> samples = new HashMap<>();
        long micros = profile.path("startTime").asLong();
        for (int i = 0; i < profile.path("samples").size(); i++) {
            micros += profile.path("timeDeltas").path(i).asLong();
            if (micros < begunMicros || micros > endMicros) {
                continue;
            }
            @Nullable Integer at = profile.path("samples").path(i).asInt();
            while (at != null && callFrame(nodes, at).path("url").asText().isEmpty()) {
                at = parents.get(at);
            }
            if (at != null) { // else (program), (idle), (garbage collector)
                JsonNode frame = callFrame(nodes, at);
                String name = frame.path("functionName").asText();
                boolean isOfScript = frame.path("url").asText().endsWith(script.toString());
                samples.merge(isOfScript ? key(name, frame.path("lineNumber").asInt() + 1) : name, 1.0, Double::sum);
            }
        }
        return samples;
    }

    private static String key(String function, int line) {
        return (function.isEmpty() ? "(anonymous)" : function) + ":" + line;
    }

    private static Map<String, Double> shares(Map<String, Double> samples) {
        double all = samples.values().stream().mapToDouble(Double::doubleValue).sum();
        samples.replaceAll((function, count) -> 100 * count / all);
        return samples;
    }
}
