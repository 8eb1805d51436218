package dev.probestream.convert;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.probestream.schema.record.EventKind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What Node 18 to 24 wrote themselves, beside a recording of the same process: all of it is in the trace. */
class MergeNodeTraceTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(ints = {18, 20, 22, 24})
    void everyEventOfNodeIsInTheChromeTraceAsItWas(int version) throws IOException {
        Path trace = nodeTrace(version);
        Path output = folder.resolve("merged.json");
        ConversionOutcome outcome = merge(trace, output);

        Map<String, Integer> merged = JsonEvents.counted(JsonEvents.of(output));
        JsonEvents.counted(JsonEvents.of(recordingAlone("alone.json")))
                .forEach((event, count) -> merged.merge(event, -count, Integer::sum));
        merged.values().removeIf(count -> count == 0);
        assertThat(merged).isEqualTo(JsonEvents.counted(JsonEvents.of(trace)));
        assertThat(outcome.warnings())
                .containsExactly("merged " + JsonEvents.of(trace).size() + " events of " + trace);
    }

    @ParameterizedTest
    @ValueSource(ints = {18, 20, 22, 24})
    void everyEventOfNodeCanBeMadeAgainOfThePerfettoTrace(int version) throws IOException {
        Path trace = nodeTrace(version);
        Path output = folder.resolve("merged.pftrace");
        merge(trace, output);

        assertThat(JsonEvents.counted(PerfettoEvents.of(output))).isEqualTo(JsonEvents.counted(JsonEvents.of(trace)));
    }

    private static Path nodeTrace(int version) {
        return Path.of("src/test/resources/testdata/node-trace/node" + version + ".log.gz");
    }

    private ConversionOutcome merge(Path trace, Path output) throws IOException {
        return Conversion.run(
                List.of(recording(trace)), List.of(trace), output, RecordingRange.ALL, ConversionProgress.NONE);
    }

    private Path recordingAlone(String name) throws IOException {
        Path output = folder.resolve(name);
        Path nothing = MergeRecording.json(folder.resolve("nothing.json"), "[]");
        Conversion.run(
                List.of(folder.resolve("recording.avro")),
                List.of(nothing),
                output,
                RecordingRange.ALL,
                ConversionProgress.NONE);
        return output;
    }

    /** A recording of the time and the process of that trace. */
    private Path recording(Path trace) throws IOException {
        ObjectNode first = JsonEvents.of(trace).get(0);
        long startNs = first.get("ts").longValue() * 1000;
        int pid = first.get("pid").intValue();
        try (TestRecording recording = TestRecording.at(folder.resolve("recording.avro"))) {
            recording
                    .capture(7, "host-a", "boot-a", startNs, 1_700_000_000_000_000_000L)
                    .probe(1, "uv_run", "node-loop", EventKind.SPAN)
                    .process(pid, "node", startNs, "node", "app.js")
                    .thread(pid, pid, "node")
                    .on(pid, pid)
                    .span(1, startNs + 1_000, startNs + 900_000_000)
                    .end(startNs + 1_000_000_000, 0);
            return recording.file();
        }
    }
}
