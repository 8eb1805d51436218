package dev.probestream.convert;

import static dev.probestream.convert.TestRecording.START_NS;
import static dev.probestream.convert.TestRecording.argument;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.schema.perfetto.Trace;
import dev.probestream.schema.perfetto.TracePacket;
import dev.probestream.schema.perfetto.TrackDescriptor;
import dev.probestream.schema.record.EventKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SeveralCapturesTest {
    private static final long REALTIME_NS = 1_700_000_000_000_000_000L;

    @TempDir
    private Path folder;

    SeveralCapturesTest() {
        folder = Path.of("");
    }

    @Test
    void aPidOfTwoHostsIsTwoProcesses() throws IOException {
        Path a = write("a.avro", 1, "host-a", "boot-a", START_NS, REALTIME_NS, START_NS + 100);
        Path b = write("b.avro", 2, "host-b", "boot-b", 50, REALTIME_NS, 150);
        Path output = folder.resolve("both.pftrace");
        Conversion.run(List.of(a, b), output, RecordingRange.ALL);

        List<TrackDescriptor> processes = processes(output);
        assertThat(processes).extracting(TrackDescriptor::getName).containsExactly("node @host-a", "node @host-b");
        Set<Long> uuids = new HashSet<>();
        processes.forEach(process -> uuids.add(process.getUuid()));
        assertThat(uuids).hasSize(2);
    }

    @Test
    void anotherHostsTimesAreMovedByTheWallClock() throws IOException {
        // Both started at the same wall-clock time; what was 100 ns after the start of each happened together.
        Path a = write("a.avro", 1, "host-a", "boot-a", START_NS, REALTIME_NS, START_NS + 100);
        Path b = write("b.avro", 2, "host-b", "boot-b", 50, REALTIME_NS + 1_000, 150);
        Path output = folder.resolve("both.pftrace");
        Conversion.run(List.of(a, b), output, RecordingRange.ALL);
        assertThat(Slices.of(Files.readAllBytes(output)))
                .extracting(slice -> slice.startNs)
                .containsExactly(START_NS + 100, START_NS + 1_100);
    }

    @Test
    void capturesOfOneHostShareItsClockAndKeepTheirTracksApart() throws IOException {
        Path a = write("a.avro", 1, "host-a", "boot-a", START_NS, REALTIME_NS, START_NS + 100);
        Path b = write("b.avro", 2, "host-a", "boot-a", START_NS + 50, REALTIME_NS + 50, START_NS + 120);
        Path output = folder.resolve("both.pftrace");
        Conversion.run(List.of(a, b), output, RecordingRange.ALL);
        assertThat(Slices.of(Files.readAllBytes(output)))
                .extracting(slice -> slice.startNs)
                .containsExactly(START_NS + 100, START_NS + 120);
        assertThat(processes(output))
                .extracting(TrackDescriptor::getName)
                .containsExactly("node (capture 1)", "node (capture 2)");
    }

    @Test
    void oneCaptureInTwoFilesIsOneCapture() throws IOException {
        Path a = write("a.avro", 1, "host-a", "boot-a", START_NS, REALTIME_NS, START_NS + 100);
        Path b = write("b.avro", 1, "host-a", "boot-a", START_NS, REALTIME_NS, START_NS + 300);
        Path output = folder.resolve("both.pftrace");
        ConversionOutcome outcome = Conversion.run(List.of(a, b), output, RecordingRange.ALL);
        assertThat(outcome.events().written()).isEqualTo(2);
        assertThat(processes(output)).extracting(TrackDescriptor::getName).containsExactly("node");
    }

    @Test
    void chromeGivesTheSecondProcessOfAPidAnotherPid() throws IOException {
        Path a = write("a.avro", 1, "host-a", "boot-a", START_NS, REALTIME_NS, START_NS + 100);
        Path b = write("b.avro", 2, "host-b", "boot-b", START_NS, REALTIME_NS, START_NS + 100);
        Path output = folder.resolve("both.json");
        Conversion.run(List.of(a, b), output, RecordingRange.ALL);
        assertThat(Files.readString(output))
                .contains("{\"name\":\"node @host-a\"}")
                .contains("{\"name\":\"node @host-b (pid 100)\"}");
    }

    @Test
    void contextSwitchesOfASecondCaptureAreNotDrawnTwice() throws IOException {
        Path a = folder.resolve("a.avro");
        Path b = folder.resolve("b.avro");
        for (Path file : List.of(a, b)) {
            try (TestRecording recording = TestRecording.at(file)) {
                recording
                        .capture(file.equals(a) ? 1 : 2, "host-a", "boot-a", START_NS, REALTIME_NS)
                        .probe(1, "sched_switch", "sched", EventKind.SWITCH)
                        .process(100, "node", START_NS - 5, "node")
                        .thread(100, 100, "node")
                        .cpuSwitch(1, START_NS + 10, 0, 0, "swapper/0", 100, "node")
                        .cpuSwitch(1, START_NS + 20, 100, 1, "node", 0, "swapper/0")
                        .end(START_NS + 50, 0);
            }
        }
        ConversionOutcome outcome = Conversion.run(List.of(a, b), folder.resolve("both.pftrace"), RecordingRange.ALL);
        assertThat(outcome.events().written()).isEqualTo(2);
        assertThat(outcome.events().notShown()).isEqualTo(2);
    }

    @Test
    void aPidThatWasReusedIsTwoProcesses() throws IOException {
        Path file = folder.resolve("reused.avro");
        try (TestRecording recording = TestRecording.at(file)) {
            recording
                    .capture()
                    .probe(1, "span", "test", EventKind.SPAN, argument("id", "s64", ""))
                    .process(100, "first", START_NS - 1_000_000_000, "first")
                    .process(100, "second", START_NS + 500_000_000, "second")
                    .thread(100, 100, "first", START_NS - 1_000_000_000)
                    .thread(100, 100, "second", START_NS + 500_000_000)
                    .on(100, 100)
                    .span(1, START_NS + 10, START_NS + 20)
                    .span(1, START_NS + 500_000_010, START_NS + 500_000_020)
                    .end(START_NS + 600_000_000, 0);
        }
        Path output = folder.resolve("reused.pftrace");
        Conversion.run(List.of(file), output, RecordingRange.ALL);
        assertThat(processes(output)).extracting(TrackDescriptor::getName).containsExactly("first", "second");
        assertThat(Slices.of(Files.readAllBytes(output)))
                .extracting(slice -> slice.track.getName())
                .containsExactly("first", "second");
    }

    private Path write(String name, long id, String host, String bootId, long monotonicNs, long realtimeNs, long spanNs)
            throws IOException {
        Path file = folder.resolve(name);
        try (TestRecording recording = TestRecording.at(file)) {
            recording
                    .capture(id, host, bootId, monotonicNs, realtimeNs)
                    .probe(1, "span", "test", EventKind.SPAN, argument("id", "s64", ""))
                    .process(100, "node", -1, "node")
                    .on(100, 100)
                    .withNumbers(id)
                    .span(1, spanNs, spanNs + 10)
                    .end(spanNs + 20, 0);
        }
        return file;
    }

    private static List<TrackDescriptor> processes(Path trace) throws IOException {
        return Trace.parseFrom(Files.readAllBytes(trace)).getPacketList().stream()
                .filter(TracePacket::hasTrackDescriptor)
                .map(TracePacket::getTrackDescriptor)
                .filter(TrackDescriptor::hasProcess)
                .toList();
    }
}
