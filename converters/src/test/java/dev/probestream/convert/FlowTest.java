package dev.probestream.convert;

import static dev.probestream.convert.TestRecording.START_NS;
import static dev.probestream.convert.TestRecording.argument;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.probestream.schema.perfetto.Trace;
import dev.probestream.schema.perfetto.TracePacket;
import dev.probestream.schema.perfetto.TrackEvent;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.FlowStep;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Probes 1, 2 and 3 start, continue and end a flow, whose value is a request's address. */
class FlowTest {
    private static final long REQUEST = 0x7f0000001000L;

    @TempDir
    private Path folder;

    FlowTest() {
        folder = Path.of("");
    }

    @Test
    void callWorkAndCompletionAreOneFlow() throws IOException {
        assertThat(chromeFlows(recording -> hit(hit(hit(recording, 1, 10), 2, 20), 3, 30)))
                .containsExactly("s1@10", "t1@20", "f1@30");
    }

    @Test
    void anAddressThatIsUsedAgainIsAnotherFlow() throws IOException {
        assertThat(chromeFlows(recording -> hit(hit(hit(hit(recording, 1, 10), 3, 20), 1, 30), 3, 40)))
                .containsExactly("s1@10", "f1@20", "s2@30", "f2@40");
    }

    @Test
    void aSecondStartDoesNotContinueWhatNeverEnded() throws IOException {
        assertThat(chromeFlows(recording -> hit(hit(hit(recording, 1, 10), 1, 20), 3, 30)))
                .containsExactly("s1@10", "s2@20", "f2@30");
    }

    @Test
    void theFirstEventSeenOfAFlowStartsItAndALoneEndIsNone() throws IOException {
        assertThat(chromeFlows(recording -> hit(hit(hit(recording, 3, 10), 2, 20), 3, 30)))
                .containsExactly("s1@20", "f1@30");
    }

    @Test
    void oneAddressInTwoProcessesIsTwoFlows() throws IOException {
        assertThat(chromeFlows(recording -> {
                    hit(recording.on(100, 100), 1, 10);
                    hit(recording.on(200, 200), 1, 20);
                    hit(recording.on(100, 100), 3, 30);
                    return hit(recording.on(200, 200), 3, 40);
                }))
                .containsExactly("s1@10", "s2@20", "f1@30", "f2@40");
    }

    @Test
    void perfettoTerminatesTheFlowAtItsEnd() throws IOException {
        Path output = convert("flows.pftrace", recording -> hit(hit(hit(recording, 1, 10), 2, 20), 3, 30));
        List<String> flows = new ArrayList<>();
        for (TracePacket packet : Trace.parseFrom(Files.readAllBytes(output)).getPacketList()) {
            TrackEvent event = packet.getTrackEvent();
            event.getFlowIdsList().forEach(id -> flows.add("flow " + id));
            event.getTerminatingFlowIdsList().forEach(id -> flows.add("end " + id));
        }
        assertThat(flows).containsExactly("flow 1", "flow 1", "end 1");
    }

    private interface Content {
        TestRecording write(TestRecording recording) throws IOException;
    }

    private static TestRecording hit(TestRecording recording, int probe, long atNs) throws IOException {
        return recording.withNumbers(REQUEST).span(probe, START_NS + atNs, START_NS + atNs + 5);
    }

    private Path convert(String name, Content content) throws IOException {
        Path file = folder.resolve("flows.avro");
        try (TestRecording recording = TestRecording.at(file)) {
            recording.capture();
            int id = 1;
            for (FlowStep step : List.of(FlowStep.START, FlowStep.STEP, FlowStep.END)) {
                recording.probe(
                        id++, step.toString(), "test", EventKind.SPAN, argument("req", "ptr", "", step, Map.of()));
            }
            content.write(recording).end(START_NS + 100, 0);
        }
        Path output = folder.resolve(name);
        Conversion.run(List.of(file), output, RecordingRange.ALL);
        return output;
    }

    /** Phase, id and nanoseconds since the start. */
    private List<String> chromeFlows(Content content) throws IOException {
        List<String> flows = new ArrayList<>();
        for (JsonNode event : new ObjectMapper()
                .readTree(Files.readAllBytes(convert("flows.json", content)))
                .get("traceEvents")) {
            if (event.path("name").asText().equals("flow")) {
                long atNs = Math.round(event.get("ts").asDouble() * 1000) - START_NS;
                flows.add(event.get("ph").asText() + event.get("id").asText() + "@" + atNs);
            }
        }
        return flows;
    }
}
