package dev.probestream.convert;

import static dev.probestream.convert.TestRecording.START_NS;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.TextFormat;
import dev.probestream.schema.perfetto.Trace;
import dev.probestream.schema.perfetto.TracePacket;
import dev.probestream.schema.perfetto.TrackEvent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@link RequestRecording} becomes in a trace. */
class RequestTraceTest {
    @TempDir
    private Path folder;

    private Path recording;

    RequestTraceTest() {
        recording = Path.of("");
    }

    @BeforeEach
    void record() throws IOException {
        recording = RequestRecording.write(folder.resolve("requests.avro"));
    }

    @Test
    void perfettoTraceOfRequestsIsAsKept() throws IOException {
        Golden.assertMatches(
                "requests.pftrace.txt",
                TextFormat.printer().escapingNonAscii(false).printToString(perfetto()));
    }

    @Test
    void chromeTraceOfRequestsIsAsKept() throws IOException {
        Path output = folder.resolve("requests.json");
        Conversion.run(List.of(recording), output, RecordingRange.ALL);
        Golden.assertMatches("requests.json", Files.readString(output));
    }

    @Test
    void requestsThatOverlapStandSideBySideOnTracksOfOneName() throws IOException {
        List<Slices.Slice> requests = requests();
        assertThat(requests.stream().map(Slices.Slice::toString))
                .containsExactly(
                        request("GET /file", 102, 361),
                        request("GET /quick", 202, 241),
                        request("GET /never", 522, -1));
        Set<Long> lanes = requests.stream().map(slice -> slice.track.getUuid()).collect(Collectors.toSet());
        assertThat(lanes).hasSize(2);
        assertThat(requests.stream().map(slice -> slice.track.getParentUuid()).distinct())
                .hasSize(1);
    }

    private static String request(String name, long fromMicroseconds, long toMicroseconds) {
        long endNs = toMicroseconds < 0 ? -1 : START_NS + 1_000 * toMicroseconds;
        return name + " -1 [" + (START_NS + 1_000 * fromMicroseconds) + ", " + endNs + "] at depth 0 of HTTP server";
    }

    @Test
    void everythingThatBelongsToARequestIsInItsFlow() throws IOException {
        Map<Long, Integer> eventsByFlow = new HashMap<>();
        for (TracePacket packet : perfetto().getPacketList()) {
            packet.getTrackEvent().getFlowIdsList().forEach(flow -> eventsByFlow.merge(flow, 1, Integer::sum));
        }
        long flowOfFirst = flow("GET /file");
        long flowOfSecond = flow("GET /quick");
        assertThat(eventsByFlow.get(flowOfFirst)).isEqualTo(1 + 9);
        assertThat(eventsByFlow.get(flowOfSecond)).isEqualTo(1 + 6);
    }

    private long flow(String name) throws IOException {
        List<TrackEvent> requests = perfetto().getPacketList().stream()
                .map(TracePacket::getTrackEvent)
                .filter(event -> event.getName().equals(name))
                .toList();
        assertThat(requests).hasSize(1);
        assertThat(requests.get(0).getFlowIdsCount()).isEqualTo(1);
        return requests.get(0).getFlowIds(0);
    }

    @Test
    void requestThatCrossesTheEndOfASliceIsOpenAndOneThatCrossesItsBeginningIsNotShown() throws IOException {
        RecordingRange slice = new RecordingRange(
                Optional.of(RecordingRange.Bound.sinceStart(220_000)),
                Optional.of(RecordingRange.Bound.sinceStart(540_000)),
                Set.of());
        Path output = folder.resolve("slice.pftrace");
        Conversion.run(List.of(recording), output, slice);
        assertThat(Slices.of(Files.readAllBytes(output)).stream()
                        .filter(found -> found.name.startsWith("GET"))
                        .map(Slices.Slice::toString))
                .containsExactly(request("GET /never", 522, -1));
    }

    private List<Slices.Slice> requests() throws IOException {
        return Slices.of(perfetto().toByteArray()).stream()
                .filter(slice -> slice.name.startsWith("GET"))
                .toList();
    }

    private Trace perfetto() throws IOException {
        Path output = folder.resolve("requests.pftrace");
        Conversion.run(List.of(recording), output, RecordingRange.ALL);
        return Trace.parseFrom(Files.readAllBytes(output));
    }
}
